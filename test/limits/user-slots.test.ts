import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { callsRows, createLimiter } from '../../lib/limits/limiter.ts'
import {
  createLocalUserSlots,
  createSharedUserSlots,
  type TakeUserSlot,
  turnLimit,
} from '../../lib/limits/user-slots.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { storeOpeners } from '../fakes/stores.ts'

const LONGEST_MS = 60_000
const kind = turnLimit(3, LONGEST_MS)
const clock = createFakeClock()

/** Each call of `process` gives the slots as another process of the same service has them. */
type Opened = { process: () => TakeUserSlot; close(): Promise<unknown> }
const openLocal = async (): Promise<Opened> => {
  const only = createLocalUserSlots(clock, kind)
  return { process: () => only, close: async () => undefined }
}
const places = [
  ['one process', openLocal] as const,
  ...storeOpeners([callsRows]).map(
    ([name, open]) =>
      [
        `several processes on ${name}`,
        async (): Promise<Opened> => {
          const { store, close } = await open(clock)
          // The waits of a process that lost a race pass while the time of day stands still.
          const needs = { store, clock: { ...clock, after: createClock().after }, entropy }
          const process = () =>
            createSharedUserSlots({ limiter: createLimiter(needs), log: createFakeLog() }, kind)
          return { process, close }
        },
      ] as const,
  ),
]

describe.each(places)('the slots of a user in %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  const take = (userId: string) => opened.process()(userId)
  const refused = {
    kind: 'rate_limited',
    code: 'too_many_turns',
    message: expect.stringContaining('3 model responses'),
  }

  it('are as many as the setting says, and those of others are theirs', async () => {
    for (let n = 0; n < 3; n += 1) await take('ann')
    await expect(take('ann')).rejects.toMatchObject(refused)
    await take('bob')
  })

  it('are no more when all are asked for at once', async () => {
    const taken = await Promise.allSettled(Array.from({ length: 8 }, () => take('eve')))
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  it('are free once each was freed, and a repeat frees no other', async () => {
    const [first] = [await take('cy'), await take('cy'), await take('cy')]
    await first()
    await first()
    await take('cy')
    await expect(take('cy')).rejects.toMatchObject(refused)
  })

  it('are free after the longest time, if their process has died', async () => {
    for (let n = 0; n < 3; n += 1) await take('dan')
    clock.advance(LONGEST_MS)
    for (let n = 0; n < 3; n += 1) await take('dan')
    await expect(take('dan')).rejects.toMatchObject(refused)
  })
})
