/** A conversation: what it offers, what it does on the way, how it is stopped, summed up, left and gone on with. */
import { chatModel } from '../chat-model.mjs';

const SIZE = { columns: 100, rows: 40, title: 'birds — pipeline chat' };

export async function take(stage) {
  const room = await stage.room({ answer: chatModel });
  const terminal = await stage.terminal({ room, ...SIZE });
  const say = async (line, answer) => {
    terminal.type(line);
    await terminal.sees(answer);
  };
  terminal.type('pipeline chat');
  await terminal.sees(/\/help lists the commands[\s\S]*›/);
  await say('good morning', /today\?\s*\n›/);
  await say('/skills', /\/write-a-pipeline[\s\S]*\n›/);
  await say('/now what time is it?', /Monday\.\s*\n›/);
  await stage.save('chat-skills', terminal.picture());

  await terminal.wipe();
  await say('what is 12345 times 6789?', /83 810 205\.\s*\n›/);
  await say('ask a critic about my title', /verdict\.md\.\s*\n›/);
  await say('/idea-spark make the world better', /insulin[\s\S]*do\.\s*\n›/);
  await stage.save('chat-tools', terminal.picture());

  await terminal.wipe();
  await say('tell me the whole history of bird watching', /patience\./);
  terminal.press('C-c');
  await terminal.sees(/\(stopped\)[\s\S]*\n›/);
  await say('three short rules for an entry, please', /where to stand\.\s*\n›/);
  await say('/compact', /summed up; the last[\s\S]*\n›/);
  await say('what did I ask you?', /a title\.\s*\n›/);
  await say('/cost', /tokens[\s\S]*\n›/);
  terminal.type('/exit');
  await terminal.sees(/go on {2}pipeline chat --resume[\s\S]*\n\$/);
  terminal.type('pipeline chat --resume');
  await terminal.sees(/goes on with[\s\S]*\n›/);
  terminal.press('Up', 'Up', 'Up');
  await terminal.sees('› what did I ask you?');
  await stage.save('chat-resume', terminal.picture());
}
