import type { Options } from './command.ts'
import { UsageError } from './exit-codes.ts'

/** The fields of GET /api/tasks/filter that select tasks. */
const FIELDS =
  'status priority source agent labels retried repository branch createdBy q createdAfter createdBefore completedAfter completedBefore'.split(
    ' ',
  )

export const filterOption = {
  filter: {
    type: 'string',
    multiple: true,
    value: 'field=value',
    about: `filter by a field; can be repeated: ${FIELDS.join(', ')}`,
  },
} as const satisfies Options

/** The filter of `--filter field=value`, where commas separate several values. Throws UsageError for an unknown field. */
export const parseFilter = (given: readonly string[] = [], command: string): Record<string, string> =>
  Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf('=')
      const field = text.slice(0, at)
      if (at < 1 || !FIELDS.includes(field))
        throw new UsageError(
          `Unknown filter ${text}. --filter takes field=value, with one of ${FIELDS.join(', ')}`,
          command,
        )
      return [field, text.slice(at + 1)]
    }),
  )
