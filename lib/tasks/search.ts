import type { SearchedText } from '../core/collection.ts'
import { cutText } from '../core/cut-text.ts'
import type { TaskRow } from './schema.ts'

/** The characters at the beginning of an output that a search looks through. */
const MOST_OUTPUT = 100_000

const record = (value: unknown): { readonly [field: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { readonly [field: string]: unknown }) : {}

const errorText = (error: unknown): string => [record(error).code, record(error).message].join(': ')

const outputText = (result: unknown): string | undefined => {
  const { output } = record(result)
  return typeof output === 'string' ? cutText(output, MOST_OUTPUT) : undefined
}

/** One path a line; agents of other programs may store anything here. */
const changedPathsText = (result: unknown): string | undefined => {
  const { filesChanged } = record(result)
  if (!Array.isArray(filesChanged)) return undefined
  return filesChanged.flatMap((change) => record(change).path ?? []).join('\n')
}

/** What `q` looks through. In `pro`, results are too large to be read for a search. */
export const TASK_SEARCH: readonly SearchedText<TaskRow>[] = [
  { name: 'title', field: 'title' },
  { name: 'id', field: 'id' },
  { name: 'error', field: 'error', text: errorText },
  { name: 'prompt', field: 'prompt' },
  { name: 'description', field: 'description' },
  { name: 'repository', field: 'repository' },
  { name: 'branch', field: 'branch' },
  { name: 'output', field: 'result', text: outputText, heavy: true },
  { name: 'changedPaths', field: 'result', text: changedPathsText, heavy: true },
]
