type Random = () => number

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
const upTo = (random: Random, most: number) => 1 + Math.floor(random() * most)
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

/** Tokens of Markdown, and texts that browsers lay out slowly. */
const TOKENS = [
  ...['*', '**', '_', '__', '~~', '*a_ ', '**a* ', '`', '``', '` a', '\\', '\\*'],
  ...['[', ']', '](', '[x][', '![', '[a](b)', '[a](<', '[^1]', '[^1]: ', '[a]: b\n', '[a][a] ', '(', ')'],
  ...[
    '<',
    '>',
    '<a',
    '<a b="',
    '<!--',
    '-->',
    '<?',
    '<![CDATA[',
    '<div>\n',
    '</div>\n',
    '<b>',
    'http://a.b ',
  ],
  ...['&', '&amp;', '&#35;', '&CounterClockwiseContourIntegral;', '&a'],
  ...[
    '> ',
    '>',
    '- ',
    '* ',
    '1. ',
    '10) ',
    '- [ ] ',
    '    ',
    '\t',
    '  \n',
    '\n',
    '\n\n',
    '# ',
    '---\n',
    '===\n',
  ],
  ...['```\n', '````js\n', '~~~\n', '|', '|a|b|\n', '|-|-|\n', '|a|b|\n|-|-|\n', '| `|` '],
  ...[
    'a',
    'word ',
    'long'.repeat(20),
    '0',
    '漢字',
    'مرحبا ',
    '😀',
    '👩‍👩‍👧',
    'e\u0301\u0302',
    '\u202e',
    '\u200b',
    'ก',
    '한',
  ],
]

const INLINE: readonly ((random: Random, depth: number) => string)[] = [
  (random) => times(upTo(random, 12), () => pick(random, ['word', 'a', 'text', '漢字', '😀'])).join(' '),
  (random, depth) => `*${inline(random, depth)}*`,
  (random, depth) => `**${inline(random, depth)}**`,
  (random, depth) => `[${inline(random, depth)}](https://example.com/a "t")`,
  (random, depth) => `[${inline(random, depth)}][ref]`,
  (random, depth) => `![${inline(random, depth)}](image.png)`,
  (random, depth) => `\`${inline(random, depth)}\``,
  (random, depth) => `~~${inline(random, depth)}~~`,
  (random, depth) => `<b>${inline(random, depth)}</b>`,
  () => '&amp;&lt;&#35;[^1]<https://example.com>\\\n',
]

const inline = (random: Random, depth: number): string =>
  depth > 6 ? 'end' : times(upTo(random, 3), () => pick(random, INLINE)(random, depth + 1)).join(' ')

const indented = (text: string, by: string) => text.replaceAll('\n', `\n${by}`)

const BLOCKS: readonly ((random: Random, depth: number) => string)[] = [
  inline,
  (random, depth) => `${'#'.repeat(upTo(random, 6))} ${inline(random, depth).replaceAll('\n', ' ')}`,
  (random, depth) => `> ${indented(blocks(random, depth), '> ')}`,
  (random, depth) =>
    times(upTo(random, 6), () => `- ${indented(blocks(random, depth), '  ')}`).join(
      pick(random, ['\n', '\n\n']),
    ),
  (random, depth) => times(upTo(random, 6), () => `1. ${indented(blocks(random, depth), '   ')}`).join('\n'),
  (random, depth) => `\`\`\`${pick(random, ['', 'ts', 'json'])}\n${blocks(random, depth)}\n\`\`\``,
  (random, depth) => `<div>\n${blocks(random, depth)}\n</div>`,
  (random, depth) => {
    const cells = () => `| ${times(3, () => inline(random, depth + 4).replaceAll('\n', ' ')).join(' | ')} |`
    return [cells(), '|-|:-:|-:|', ...times(upTo(random, 10), cells)].join('\n')
  },
  (random, depth) => `[^1]: ${indented(blocks(random, depth), '    ')}`,
  () => '[ref]: https://example.com/ref "title"',
  () => '***',
  (random) => `    ${'code '.repeat(upTo(random, 20))}`,
]

const blocks = (random: Random, depth: number): string =>
  depth > 5 ? 'deep' : times(upTo(random, 3), () => pick(random, BLOCKS)(random, depth + 1)).join('\n\n')

const filled = (make: () => string, letters: number): string => {
  let text = ''
  while (text.length < letters) text += make()
  return text.slice(0, letters).toWellFormed()
}

/** A random text: nested blocks, repeated tokens, tokens in any order, or tokens within blocks. */
export const markdownText = (random: Random, letters: number): string => {
  const some = times(upTo(random, 4), () => pick(random, TOKENS)).join('')
  return pick(random, [
    () => filled(() => `${blocks(random, 0)}\n\n`, letters),
    () => filled(() => some, letters),
    () => filled(() => pick(random, TOKENS), letters),
    () =>
      `${filled(() => `${blocks(random, 3)}\n`, letters / 10)}\n<div>\n\n\`\`\`\n${filled(() => some, letters * 0.9 - 20)}`,
    () => filled(() => `${pick(random, ['> ', '- ', '  ', '\t', ''])}${some}\n`, letters),
  ])()
}

const fill = (text: string, letters: number) => filled(() => text, letters)

/** Texts that once blocked the page, or could. */
export const hostileTexts = (letters: number): [string, string][] => [
  ['an HTML block, a fence in it, then emphasis', `<div>\n\n\`\`\`\n${fill('*a_ ', letters)}`],
  [
    'an HTML block and a fence without an empty line, then emphasis',
    `<div>\n\`\`\`\n\n${fill('*a_ ', letters)}`,
  ],
  ['a fence in a list, then emphasis at the margin', `- a\n  \`\`\`\n\n${fill('*a_ ', letters)}`],
  ['emphasis that does not end', fill('*a_ ', letters)],
  ['emphasis of one letter each', fill('*a* ', letters)],
  ['brackets', fill('[x][', letters)],
  ['links in each other', fill('[', letters / 2) + fill('](a)', letters / 2)],
  ['comments that do not end', `a ${fill('<!--', letters)}`],
  ['backticks of growing length', filled(backticks(), letters)],
  ['quotes in each other', fill('> ', letters)],
  ['lists in each other', fill('- ', letters)],
  ['a list of short items', fill('- a\n', letters)],
  ['a numbered list, loose', fill('1. a\n\n', letters)],
  ['quoted lines', fill('> a\n>\n', letters)],
  ['paragraphs of one letter', fill('a\n\n', letters)],
  ['headings of one letter', fill('a\n-\n', letters)],
  ['small tables', fill('|a|\n|-|\n\n', letters)],
  ['a long table', `|a|b|\n|-|-|\n${fill('|1|2|\n', letters)}`],
  [
    'a table of many columns',
    `${fill('|a', letters / 3)}\n${fill('|-', letters / 3)}\n${fill('|b', letters / 3)}`,
  ],
  ['small blocks of code', fill('```js\na\n```\n', letters)],
  ['code of a language', `\`\`\`json\n${fill('  "a": [1, 2],\n', letters)}\`\`\``],
  [
    'blocks of code at the limit of colours',
    fill(`\`\`\`ts\n${'const a = 1\n'.repeat(800)}\`\`\`\n`, letters),
  ],
  ['definitions', fill('[a]: b\n', letters)],
  ['footnotes', fill('[^1]\n\n[^1]: a\n\n', letters)],
  ['entities', fill('&CounterClockwiseContourIntegral;', letters)],
  ['links', fill('[a](https://example.com) ', letters)],
  ['one line of words', fill('word ', letters)],
  ['one word', fill('a', letters)],
  ['empty lines', fill('\n', letters)],
  ['tabs', fill('\ta', letters)],
  ['emoji', fill('👩‍👩‍👧😀', letters)],
  ['marks on a letter', fill('e\u0301\u0302\u0303', letters)],
  ['Arabic', fill('مرحبا بالعالم ', letters)],
  ['letters of many scripts', filled(manyScripts(), letters)],
  ['Thai without blanks', fill(`${'ก'.repeat(9_900)}\n\n`, letters)],
  ['Thai without blanks, in several forms', fill(`${'กขคงจ'.repeat(60)}*ก*`, letters)],
  ['Thai paragraphs', fill(`${'ประเทศไทย'.repeat(200)}\n\n`, letters)],
  ['one letter with marks', fill(`a${'\u0301'.repeat(9_900)}\n\n`, letters)],
  [
    'blocks of code in many colours',
    fill(`\`\`\`ts\n${'const a = `b` /* c */\n'.repeat(200)}\`\`\`\n`, letters),
  ],
  ['code with a colour for each letter', fill(code('json', '1,'), letters)],
  ['code of tags in each other', fill(code('xml', '<a>'), letters)],
  ['code of strings in each other', fill(code('js', '`${'), letters)],
  ['code of Thai words', fill(code('python', '"ก" '), letters)],
  ['a table in Thai', `|a|b|\n|-|-|\n${fill(`|${'ประเทศไทย '.repeat(20)}|ก|\n`, letters * 0.27)}`],
  ['a table of marks', `|a|b|\n|-|-|\n${fill(`|${'e\u0301\u0302 '.repeat(60)}|a|\n`, letters * 0.27)}`],
  ['a table of many scripts', `|a|b|\n|-|-|\n${fill(`|${fill('aกжא', 200)}|a|\n`, letters * 0.27)}`],
  ['tables in Thai', fill(`|a|b|\n|-|-|\n${`|${'ประเทศไทย '.repeat(10)}|ก|\n`.repeat(20)}\n`, letters)],
  [
    'tables of 12 kB in Thai',
    fill(`|a|b|\n|-|-|\n${`|${'ประเทศไทย '.repeat(30)}|ก|\n`.repeat(40)}\n`, letters),
  ],
  [
    'one item of many paragraphs in Thai',
    fill(`- ${`${'ประเทศไทย '.repeat(100)}\n\n  `.repeat(60)}\n\n---\n`, letters),
  ],
  ['a list in Thai', fill(`- ${'ประเทศไทย '.repeat(100)}\n`, letters)],
  ['quotes of many scripts', fill(`> ${fill('aกжא ', 900)}\n\n`, letters)],
  ['names of images in Thai', fill(`![${'ก '.repeat(4_000)}](a.png)\n\n`, letters)],
]

/** Texts that are slow to lay out as plain text. */
export const hostilePlainTexts = (letters: number): [string, string][] => [
  ['letters of many scripts', filled(manyScripts(), letters)],
  ['lines of Thai', fill(`${'ก'.repeat(990)}\n`, letters)],
  ['empty lines', fill('\n', letters)],
  ['lines of one letter', fill('a\n', letters)],
  ['a letter from each block', filled(manyBlocks(), letters)],
]

function code(language: string, part: string): string {
  return `\`\`\`${language}\n${`${fill(part, 60)}\n`.repeat(80)}\`\`\`\n`
}

function backticks(): () => string {
  let count = 0
  return () => {
    count += 1
    return `${'`'.repeat(count)} `
  }
}

const SCRIPTS = [
  65, 0x430, 0x4e00, 0x5d0, 0x627, 0x1f600, 0x300, 0xe01, 0x939, 0xac00, 0x2603, 0x1200, 0x10a0,
]

function manyScripts(): () => string {
  let count = 0
  return () => {
    count += 1
    return String.fromCodePoint((SCRIPTS[count % SCRIPTS.length] ?? 0) + (count % 20))
  }
}

function manyBlocks(): () => string {
  let count = 0
  return () => {
    count += 1
    return String.fromCodePoint(0x100 + ((count * 7) % 0xd000))
  }
}
