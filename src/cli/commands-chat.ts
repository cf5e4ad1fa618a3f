/** The command for a conversation: chat. */
import { type Command, Option } from 'commander';

const MORE = `
Without a terminal, standard input is one message: echo "what is in this folder?" | pipeline chat
A text that begins with / is read line by line, each a command or a message.
With --json there is a line of JSON on stdout for each: {said, status, answer, usage, session}.
Chats are kept in skill_run/.chat.
`;

export function addChatCommand(program: Command): void {
  program
    .command('chat')
    .description('talk with a model that has the skills, pipelines, files and commands of this project')
    .option('-m, --model <model>', 'provider/model-id, a role, sketch, script:<file>')
    .option('--resume [id]', 'go on with the newest chat, or with one by the beginning of its id')
    .option('--json', 'for what is piped in: a line of JSON for each message or command')
    .option('--debug', 'write every tool call to logs/agent.log')
    .option('--no-detect', 'do not look for a model server on this machine')
    .addOption(
      new Option(
        '--sandbox <auto|off>',
        'off: commands that a model writes have all your rights; else as pipeline.config.yaml says',
      ).choices(['auto', 'off']),
    )
    .addHelpText('after', MORE)
    .action(async (_options, command: Command) => {
      const { chatCommand } = await import('./chat.js');
      await chatCommand(command.optsWithGlobals());
    });
}
