import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import type { OpenStreams } from '../../lib/http/event-stream.ts'
import { createLocalStreams, createSharedStreams, openStreams } from '../../lib/limits/streams.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { storeOpeners } from '../fakes/stores.ts'

const LONGEST_MS = 60_000
/** A stream finds out within this time that it was replaced. */
const LOOK_MS = 2_000
const limit = { most: 3, longestMs: LONGEST_MS }
const clock = createFakeClock()
const ids = createFakeIds(clock)

/** Each call of `process` gives the places as another process of the same service has them. */
type Opened = { process: () => OpenStreams; close(): Promise<unknown> }
const openLocal = async (): Promise<Opened> => {
  const only = createLocalStreams({ ids }, limit)
  return { process: () => only, close: async () => undefined }
}
const shared = storeOpeners([openStreams]).map(
  ([name, open]) =>
    [
      `several processes on ${name}`,
      async (): Promise<Opened> => {
        const { store, close } = await open(clock)
        const { after } = createClock()
        // The waits of a process that lost a race pass while the looks wait for the fake clock.
        const waits = (delayMs: number, call: () => void) =>
          delayMs === LOOK_MS ? clock.after(delayMs, call) : after(delayMs, call)
        const needs = { store, clock: { ...clock, after: waits }, entropy, ids, log: createFakeLog() }
        return { process: () => createSharedStreams(needs, limit), close }
      },
    ] as const,
)

const whenAborted = (signal: AbortSignal) =>
  signal.aborted
    ? Promise.resolve()
    : new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))

describe.each([['one process', openLocal] as const, ...shared])(
  'the streams of a user in %s',
  (_name, open) => {
    let opened: Opened
    beforeAll(async () => {
      opened = await open()
    })
    afterAll(() => opened.close())

    const take = (userId: string, isResumable = true) => opened.process()(userId, isResumable)
    const refused = {
      kind: 'rate_limited',
      code: 'too_many_streams',
      message: expect.stringContaining('3 streams'),
    }

    it('are as many as the setting says: one more replaces the oldest, and those of others stay', async () => {
      const other = await take('bob')
      const places = [await take('ann'), await take('ann'), await take('ann')]
      const [first, ...rest] = [...places, await take('ann')]
      clock.advance(LOOK_MS)
      await whenAborted(first?.replaced ?? AbortSignal.abort())
      for (const { replaced } of [...rest, other]) expect(replaced.aborted).toBe(false)
    })

    it('that cannot be resumed keep their places: the oldest that can be is replaced, or the new one refused', async () => {
      const turns = [await take('cy', false), await take('cy', false)]
      const resumable = await take('cy')
      turns.push(await take('cy', false))
      clock.advance(LOOK_MS)
      await whenAborted(resumable.replaced)
      await resumable.free()
      await expect(take('cy')).rejects.toMatchObject(refused)
      for (const { replaced } of turns) expect(replaced.aborted).toBe(false)
      await turns[0]?.free()
      await turns[0]?.free()
      await take('cy')
      await expect(take('cy', false)).resolves.toBeDefined()
    })

    it('run at most twice as many at once, since replaced ones have to end', async () => {
      const places = []
      for (let n = 0; n < 6; n += 1) places.push(await take('dan'))
      await expect(take('dan')).rejects.toMatchObject(refused)
      await places[0]?.free()
      places.push(await take('dan'))
      await expect(take('dan')).rejects.toMatchObject(refused)
    })

    it('are no more when all are asked for at once', async () => {
      const taken = await Promise.allSettled(Array.from({ length: 10 }, () => take('eve', false)))
      expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    })
  },
)

describe.each(shared)('the streams of a user in %s', (_name, open) => {
  it('are free after the longest time, if their process has died', async () => {
    const { process, close } = await open()
    for (let n = 0; n < 3; n += 1) await process()('ann', false)
    await expect(process()('ann', false)).rejects.toMatchObject({ code: 'too_many_streams' })
    clock.advance(LONGEST_MS)
    await process()('ann', false)
    await close()
  })
})
