import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { WORK } from './streaming.ts'

const key = ['holds'] as const

/** Providers whose usage limit was reached. A hold begins with an event of a task that waits, and may end without one. */
export const useHolds = (isShown: boolean) =>
  useLive(key, async (signal) => (await client.listHolds({}, { signal })).holds, EVERY_MS.calm, {
    enabled: isShown,
    getPeriodEnd: (holds, now) => (holds?.length ? now + EVERY_MS.list : undefined),
  })

export type Hold = NonNullable<ReturnType<typeof useHolds>['data']>[number]

export const useRemoveHold = () =>
  useChange((id: string) => client.removeHold({ params: { id } }), key, ...WORK)
