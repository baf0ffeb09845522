import { readFileSync } from 'node:fs'
import * as path from 'node:path'
import { describe, expect, it } from '@jest/globals'
import * as fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { estimateTokenCount } from 'tokenx'
import { chunkMarkdown, MOST_TOKENS } from '../../lib/memory/chunker.ts'
import { parseStructure } from '../../lib/memory/markdown-lines.ts'

const shape = (text: string) =>
  chunkMarkdown('a.md', text).map(({ startLine, endLine, heading = '' }) => [startLine, endLine, heading])

describe('chunks of a document', () => {
  it.each([
    ['nothing', '', []],
    ['blank lines', '\n \n\t\n', []],
    ['text without headings', 'one\ntwo\n\nthree', [[1, 4, '']]],
    [
      'text before the first heading',
      'intro\n\n# A\n\ntext',
      [
        [1, 1, ''],
        [3, 5, 'A'],
      ],
    ],
    [
      'a section each',
      '# A\n\na\n\n## B\n\nb\n',
      [
        [1, 3, 'A'],
        [5, 7, 'B'],
      ],
    ],
    ['a heading with nothing under it, with what follows', '# A\n\n## B\n\nb', [[1, 5, 'B']]],
    ['headings alone', '# A\n## B', [[1, 2, 'B']]],
    [
      'underlined headings',
      'A\n===\n\na\n\nB\n---\nb',
      [
        [1, 4, 'A'],
        [6, 8, 'B'],
      ],
    ],
    ['a fence with what looks like a heading', '# A\n\n```sh\n# no\n\n# no\n```\n', [[1, 7, 'A']]],
    ['a fence that is never closed', '# A\n\n~~~\n# no\n\n# no', [[1, 6, 'A']]],
    [
      'a comment with what looks like one',
      '<!--\n# no\n\n# no\n-->\n\n# A\n\na',
      [
        [1, 5, ''],
        [7, 9, 'A'],
      ],
    ],
    ['front matter, with what follows', '---\ntitle: x\n---\n\n# A\n\na', [[1, 7, 'A']]],
    [
      'front matter before text without a heading',
      '---\ntitle: x\n---\n\nb\n\n# A\n\na',
      [
        [1, 5, ''],
        [7, 9, 'A'],
      ],
    ],
    [
      'a rule below a list',
      '- a\n---\n# B\n\nb',
      [
        [1, 2, ''],
        [3, 5, 'B'],
      ],
    ],
    [
      'Windows line ends',
      '# A\r\n\r\na\r\n\r\n## B\r\n\r\nb',
      [
        [1, 3, 'A'],
        [5, 7, 'B'],
      ],
    ],
    [
      'headings inside of a list',
      '- a\n\n  # no\n\n# A\n\na',
      [
        [1, 3, ''],
        [5, 7, 'A'],
      ],
    ],
    ['hashes that are no heading', '#no\n####### no\n    # no', [[1, 3, '']]],
  ] as const)('are, of %s: %j', (_what, text, wanted) => {
    expect(shape(text)).toEqual(wanted)
  })

  it.each([
    ['# Plain', 'Plain'],
    ['## Closed ##', 'Closed'],
    ['# **Bold** and `code` and _it_', 'Bold and code and it'],
    ['# [A link](https://example.com)', 'A link'],
    ['# snake_case_name', 'snake_case_name'],
    ['# C#', 'C#'],
    ['Two\nlines\n===', 'Two lines'],
  ])('have the words of their heading: %j', (text, title) => {
    expect(chunkMarkdown('a.md', `${text}\n\ntext`)[0]?.heading).toBe(title)
  })

  it('know the headings above theirs', () => {
    const chunks = chunkMarkdown('a.md', '# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd')
    expect(chunks.map(({ trail, heading }) => [...(trail ?? []), heading])).toEqual([
      ['A'],
      ['A', 'B'],
      ['A', 'C'],
      ['D'],
    ])
  })

  it('keep their ids when something else is edited, and differ where texts are equal', () => {
    const before = chunkMarkdown('a.md', '# A\n\nsame\n\n# B\n\nb\n\n# B\n\nb')
    const after = chunkMarkdown('a.md', 'new\n\n# A\n\nsame\n\n# B\n\nb\n\n# B\n\nb')
    expect(after.slice(1).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(new Set(before.map(({ id }) => id)).size).toBe(3)
    expect(chunkMarkdown('b.md', '# A\n\nsame')[0]?.id).not.toBe(before[0]?.id)
  })

  it('are cut at line ends where a block is too large', () => {
    const lines = Array.from({ length: 300 }, (_, n) => `Line ${n} of a paragraph without a gap.`)
    const chunks = chunkMarkdown('a.md', lines.join('\n'))
    expect(chunks.length).toBeGreaterThan(5)
    for (const [n, { startLine, text }] of chunks.entries()) {
      expect(startLine).toBe((chunks[n - 1]?.endLine ?? 0) + 1)
      expect(text.split('\n')[0]).toBe(lines[startLine - 1])
    }
  })

  const line = fc.oneof(
    fc.constantFrom(
      '',
      '# A',
      '## B',
      '- item',
      '  more',
      '> q',
      '```',
      '---',
      '===',
      '<!--',
      '-->',
      '1. x',
      '\t',
    ),
    fc.string({ unit: 'grapheme', maxLength: 30 }),
    fc.string({ unit: 'binary', maxLength: 10 }),
  )
  const document = fc.array(line, { maxLength: 60 }).map((lines) => lines.join('\n'))

  it('have every line that is not blank, in order, and no line twice', () => {
    fc.assert(
      fc.property(document, (text) => {
        const lines = text.split(/\r\n|\n|\r/)
        const chunks = chunkMarkdown('a.md', text)
        const covered = chunks.flatMap(({ startLine, endLine }) =>
          Array.from({ length: endLine - startLine + 1 }, (_, n) => startLine + n),
        )
        expect(covered).toEqual([...new Set(covered)].sort((a, b) => a - b))
        const spoken = lines.flatMap((content, n) => (content.trim() === '' ? [] : [n + 1]))
        expect(spoken.filter((number) => !covered.includes(number))).toEqual([])
        for (const { text: own, startLine, endLine } of chunks)
          expect(own).toBe(
            lines
              .slice(startLine - 1, endLine)
              .join('\n')
              .toWellFormed(),
          )
      }),
    )
  })

  it('are not larger than a model takes at once, whatever the text, and lose none of its words', () => {
    const long = fc.array(
      fc.constantFrom('word ', 'Wörter ', '日本語', '\u{1F600}', 'x', '\n', '\n\n', '# '),
      { minLength: 500, maxLength: 4_000 },
    )
    const squeezed = (text: string) => text.replaceAll(/\s/g, '')
    fc.assert(
      fc.property(long, (parts) => {
        const text = parts.join('')
        const chunks = chunkMarkdown('a.md', text)
        for (const chunk of chunks)
          expect(estimateTokenCount(chunk.text)).toBeLessThanOrEqual(MOST_TOKENS * 3)
        expect(squeezed(chunks.map((chunk) => chunk.text).join(''))).toBe(squeezed(text))
      }),
      { numRuns: 20 },
    )
  })
})

describe('headings', () => {
  const ofParser = (text: string) =>
    fromMarkdown(text).children.flatMap((node) =>
      node.type === 'heading' ? [[node.position?.start.line, node.depth]] : [],
    )
  const ofOurs = (text: string) =>
    [...parseStructure(text.split('\n')).headings].map(([at, { level }]) => [at + 1, level])

  it('of this service’s own documents are those that a whole parser finds', () => {
    for (const name of ['README.md', 'CHANGELOG.md']) {
      const text = readFileSync(path.join(import.meta.dirname, '../..', name), 'utf8').slice(0, 20_000)
      expect(ofOurs(text)).toEqual(ofParser(text))
      expect(ofOurs(text).length).toBeGreaterThan(0)
    }
  })

  it('are those that a whole parser finds in whatever is put together of blocks', () => {
    const block = fc.constantFrom(
      ...[
        '# One',
        '## Two ##',
        'Text\nof two lines',
        'Over\n====',
        'Under\n---',
        '- a\n- b',
        '- a\n\n  more',
        '1. x',
      ],
      ...[
        '> quoted\nlazy',
        '> quoted\nlazy\n---',
        '- a\nlazy\n===',
        '> # in a quotation',
        '```js\n# code\n```',
        '    # code',
        '***',
        '- a\n  # in a list',
      ],
      ...[
        'text\n# right after',
        '#',
        '####### seven',
        '~~~\n# open\n~~~',
        '<!-- # comment -->',
        '<div>\n# html\n</div>',
      ],
    )
    fc.assert(
      fc.property(fc.array(block, { maxLength: 8 }), (blocks) => {
        const text = blocks.join('\n\n')
        expect(ofOurs(text)).toEqual(ofParser(text))
      }),
      { numRuns: 150 },
    )
  })
})
