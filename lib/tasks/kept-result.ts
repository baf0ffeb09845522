import * as z from 'zod'
import { cutText } from '../core/cut-text.ts'
import { definedFields } from '../core/defined-fields.ts'
import { ChangedFileSchema, type KeptResult } from './attempt-schema.ts'
import { type TaskResult, TokenUsageSchema } from './schema.ts'

/** The most characters of an output and a diff, and the most files, that are kept of a failed attempt. */
const MOST_OUTPUT = 100_000
const MOST_DIFF = 400 * 1_024
const MOST_FILES = 1_000

/** The same last line as an agent writes that cuts its own diff. */
const boundedDiff = (diff: string): string => {
  if (diff.length <= MOST_DIFF) return diff.toWellFormed()
  const start = cutText(diff, MOST_DIFF)
  return `${start.slice(0, start.lastIndexOf('\n') + 1)}[diff truncated at ${MOST_DIFF / 1_024} kB]\n`
}

const keptFiles = (files: readonly unknown[]) =>
  z.array(ChangedFileSchema).safeParse(files.slice(0, MOST_FILES)).data

/** What is kept of a result: agents may put anything of any size into one. */
export const keptResult = ({ output, diff, filesChanged, usage }: TaskResult): KeptResult => ({
  output: cutText(output, MOST_OUTPUT),
  ...definedFields({
    diff: typeof diff === 'string' && diff !== '' ? boundedDiff(diff) : undefined,
    filesChanged: Array.isArray(filesChanged) ? keptFiles(filesChanged) : undefined,
    usage: TokenUsageSchema.safeParse(usage).data,
  }),
})
