/** How often a bird was seen: a number that its name decides. */
const [name = ''] = process.argv.slice(2);
console.log(JSON.stringify({ seen: [...name].reduce((sum, letter) => sum + letter.codePointAt(0), 0) % 90 }));
