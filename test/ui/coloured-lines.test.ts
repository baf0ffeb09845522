import { describe, expect, it } from '@jest/globals'
import { colouredLines } from '../../functions/ui/app/components/coloured-lines.ts'
import { fileLanguage } from '../../functions/ui/app/components/diff-language.ts'
import { type DiffLine, parseDiff } from '../../lib/core/diff-files.ts'

const linesOf = (hunks: string) => parseDiff(`diff --git a/a.ts b/a.ts\n${hunks}`).files[0]?.lines ?? []
const colouredIn = (lines: readonly DiffLine[]) => {
  const coloured = colouredLines(lines, 'typescript')
  return lines.map((line) => coloured.get(line))
}

describe('the lines of a diff in colours', () => {
  it('have their own text, each side as it would be read whole', () => {
    const lines = linesOf(
      '@@ -1,5 +1,5 @@\n /* one\n-old */ const a = 1\n+new */ const b = `x\n+y` // z\n \n const c = <T,>() => 2\n@@ -9 +9 @@\n+const d = 3\n',
    )
    const coloured = colouredIn(lines)
    for (const [at, tokens] of coloured.entries())
      if (tokens) expect(tokens.map(({ text }) => text).join('')).toBe(lines[at]?.text)
    const looks = (at: number) => coloured[at]?.map(({ text, look }) => [text, look])
    expect(coloured.map((tokens) => tokens !== undefined)).toEqual(lines.map(({ kind }) => kind !== 'hunk'))
    expect(looks(1)).toEqual([['/* one', 'text-muted-foreground']])
    expect(looks(2)?.[0]).toEqual(['old */', 'text-muted-foreground'])
    expect(looks(4)?.[0]).toEqual(['y`', 'text-code-string'])
    // A hunk begins anew.
    expect(looks(8)?.[0]).toEqual(['const', 'text-code-keyword'])
  })

  it('are plain where one is too long to be highlighted, and the others keep their colours', () => {
    const lines = linesOf(`@@ -0,0 +1,3 @@\n+const a = 1\n+const b = '${'x'.repeat(600)}'\n+const c = 2\n`)
    expect(colouredIn(lines).map((tokens) => tokens?.length ?? 0)).toEqual([
      0,
      expect.any(Number),
      0,
      expect.any(Number),
    ])
    const many = linesOf(`@@ -0,0 +1,2000 @@\n${'+const a = 1\n'.repeat(2_000)}`)
    expect(
      colouredIn(many)
        .slice(1)
        .every((tokens) => tokens !== undefined),
    ).toBe(true)
  })

  it.each([
    ['src/a.ts', 'typescript'],
    ['A.TSX', 'typescript'],
    ['Dockerfile', 'dockerfile'],
    ['deploy/Dockerfile.dev', 'dockerfile'],
    ['a.b.yml', 'yaml'],
    ['README.md', undefined],
    ['constructor', undefined],
    ['a.constructor', undefined],
    ['ts', undefined],
  ])('of %s are in the language %s', (path, language) => {
    expect(fileLanguage(path)).toBe(language)
  })
})
