import type { FailureGroup } from '../../../../lib/queue/schema.ts'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, periodEnd, useLive } from './live.ts'
import { serverNow } from './server-clock.ts'

export type { FailureGroup }

const key = ['failures'] as const
const HOUR_MS = 3_600_000

/** The service counts failures per hour. */
export const useFailures = (hours: number) =>
  useLive(
    [...key, hours],
    (signal) => {
      const since = new Date(serverNow() - hours * HOUR_MS).toISOString()
      return client.listFailures({ query: { since } }, { signal })
    },
    EVERY_MS.calm,
    { getPeriodEnd: (_data, now) => periodEnd(HOUR_MS, now) },
  )

export const useMute = () =>
  useChange(
    ({ fingerprint, muted }: Pick<FailureGroup, 'fingerprint' | 'muted'>) =>
      muted
        ? client.unmuteFailure({ params: { fingerprint } })
        : client.muteFailure({ params: { fingerprint } }),
    key,
  )

type Cause = Pick<FailureGroup, 'lastMessage'>

const textLines = ({ lastMessage }: Cause) => lastMessage.split('\n').filter((line) => line.trim() !== '')

/** The first line of the newest failure of a cause. */
export const causeTitle = (cause: Cause): string => textLines(cause)[0]?.trim() ?? 'Failed without a message'

/** The line that follows; undefined for a message of one line. */
export const causeDetail = (cause: Cause): string | undefined => textLines(cause)[1]?.trim()
