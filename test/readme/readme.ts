import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const readText = (name: string): string => readFileSync(join(root, name), 'utf8')

const contents = readText('README.md').split(/^## Contents$/m)[1] ?? ''
/** The pages that the contents of README.md list, in their order: their commands run one after the other. */
export const listed = [...contents.matchAll(/\]\((docs\/[\w/-]+\.md)\)/g)].map(([, name = '']) => name)

/** Every page for people, in the order in which it is read; what README.md does not list comes last. */
export const pages = [
  ...new Set([
    'README.md',
    ...listed.filter((name) => existsSync(join(root, name))),
    ...globSync('docs/**/*.md', { cwd: root }).sort(),
    'CONTRIBUTING.md',
  ]),
]

/** All pages as one text: a command, a table or a setting may stand in any of them. */
export const readme = pages.map(readText).join('\n')

/** The contents of the fenced blocks of one language, in order: of all pages, or of one. */
export const blocks = (language: string, text = readme): string[] =>
  [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text)

/** The rows of every table in a text whose header begins with `first`, cell by cell, code marks left out. */
export const tableRows = (first: string, text = readme): string[][] => {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    if (!line.startsWith(`| ${first} |`)) return []
    const body = lines.slice(at + 2)
    const end = body.findIndex((row) => !row.startsWith('|'))
    return body.slice(0, end < 0 ? undefined : end).map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim().replaceAll('`', '')),
    )
  })
}

/** What is written as code within the text, blocks left out. */
export const codeWords = (): string[] =>
  [...readme.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word)
