import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
export const readText = (name: string): string => readFileSync(join(root, name), 'utf8')
/** README.md and every page under `docs/`, as one text: a command, a table or a setting may stand in any of them. */
export const readme = ['README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()]
  .map(readText)
  .join('\n')

/** The contents of the fenced blocks of one language, in order. */
export const blocks = (language: string): string[] =>
  [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text)

/** The rows of the table whose header begins with `first`, cell by cell, code marks left out. */
export const tableOf = (first: string): string[][] => {
  const lines = readme.split('\n')
  const body = lines.slice(lines.findIndex((line) => line.startsWith(`| ${first} |`)) + 2)
  const end = body.findIndex((line) => !line.startsWith('|'))
  return body.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

/** What is written as code within the text, blocks left out. */
export const codeWords = (): string[] =>
  [...readme.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, word = '']) => word)
