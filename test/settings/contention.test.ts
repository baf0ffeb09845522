import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { LOCAL_ADMIN } from '../../lib/core/principal.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import type { Store } from '../../lib/ports/store.ts'
import { settingsRows } from '../../lib/settings/rows.ts'
import { everySetting } from '../../lib/settings/schema.ts'
import { createSettings } from '../../lib/settings/service.ts'
import { createCaller } from '../fakes/caller.ts'
import { startDomains } from '../fakes/service.ts'

const collections = [settingsRows] as unknown as readonly Collection[]
const openStore = () => openSqliteStore({ file: ':memory:', collections, clock: createClock() })
const environmentValues = {
  values: Object.fromEntries(everySetting.map(({ variable }) => [variable, 1])),
  names: new Set<string>(),
}

/** The settings as one of several processes has them. */
const processOn = (store: Store, clock: Clock = createClock()) =>
  createSettings({
    store,
    given: environmentValues,
    clock,
    entropy,
    objection: async () => undefined,
    audit: async () => undefined,
    staleAfterMs: 0,
  })

describe('settings that many change at once', () => {
  it('are changed for all forty of one process', async () => {
    await using service = await startDomains({ background: false })
    const call = createCaller(service)
    const patches = Array.from({ length: 40 }, (_, n) => ({ queue: { concurrency: n + 1 } }))
    const answers = await Promise.all(patches.map((body) => call('PATCH /api/settings', { body })))
    expect(answers.map(({ status }) => status)).toEqual(patches.map(() => 200))
    // Each answer shows the change that it is the answer to.
    expect(answers.map(({ body }) => body.settings.queue.concurrency)).toEqual(
      patches.map(({ queue }) => queue.concurrency),
    )
  })

  it('are changed for all of several processes, none of which undoes what another one did', async () => {
    const store = openStore()
    const processes = Array.from({ length: 8 }, () => processOn(store))
    const settings = [
      { retry: { attempts: 7 } },
      { retry: { backoff: 7 } },
      { queue: { concurrency: 7 } },
      { queue: { notificationConcurrency: 7 } },
    ]
    await Promise.all(processes.flatMap((each) => settings.map((patch) => each.change(LOCAL_ADMIN, patch))))
    const late = processOn(store)
    await late.refresh()
    expect(late.current()).toMatchObject({
      retry: { attempts: 7, backoff: 7 },
      queue: { concurrency: 7, notificationConcurrency: 7 },
    })
    await store.close()
  })

  it('are tried for a while and not for ever, and the answer says when to come again', async () => {
    const store = openStore()
    const waits: number[] = []
    const clock: Clock = {
      ...createClock(),
      after: (delayMs, go) => {
        waits.push(delayMs)
        setImmediate(go)
        return () => undefined
      },
    }
    const beaten: Store = {
      ...store,
      get: store.get.bind(store),
      commit: async () => ({ applied: false, row: undefined, refused: 0 }),
    }
    await expect(
      processOn(beaten, clock).change(LOCAL_ADMIN, { retry: { attempts: 7 } }),
    ).rejects.toMatchObject({ kind: 'unavailable', code: 'settings_busy', retryAfterMs: expect.any(Number) })
    expect(waits).toHaveLength(10)
    // No two processes that began together go on meeting each other.
    expect(new Set(waits).size).toBeGreaterThan(5)
    expect(Math.max(...waits)).toBeLessThanOrEqual(500)
    await store.close()
  })
})
