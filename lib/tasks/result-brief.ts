import * as z from 'zod'
import { changesIn, changeTotals } from '../core/changed-files.ts'
import { definedFields } from '../core/defined-fields.ts'
import { firstSentence } from '../core/first-sentence.ts'
import type { ResultBrief, TaskResult } from './schema.ts'

const MOST_TEXT = 200
const MOST_URL = 300
/** Agents of the service cut theirs before. */
const LONGEST_DIFF = 1_048_576

const isLong = (diff: unknown): boolean => typeof diff === 'string' && diff.length > LONGEST_DIFF

const PullRequestSchema = z.object({
  pullRequest: z.object({
    number: z.int().min(1),
    url: z.url({ protocol: /^https$/ }).max(MOST_URL),
  }),
})

/** What lists show of a result, computed once at its end: they do not read results. Agents may put anything into one. */
export const resultBrief = (result: TaskResult): ResultBrief | undefined => {
  const totals = changeTotals(changesIn(isLong(result.diff) ? { ...result, diff: '' } : result))
  const brief = definedFields({
    text: firstSentence(result.output, MOST_TEXT),
    changes: totals.files > 0 ? totals : undefined,
    pullRequest: PullRequestSchema.safeParse(result.published).data?.pullRequest,
  })
  return Object.keys(brief).length > 0 ? brief : undefined
}
