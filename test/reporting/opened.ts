import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createTracing } from '../../lib/adapters/node/tracing.ts'
import { createTrackers } from '../../lib/adapters/trackers/catalog.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { iso } from '../../lib/core/time.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import { createDeliveries } from '../../lib/deliveries/service.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { TrackerName } from '../../lib/ports/tracker.ts'
import { makeReportWrites, reports } from '../../lib/reporting/rows.ts'
import { createReporting } from '../../lib/reporting/service.ts'
import type { Task } from '../../lib/tasks/schema.ts'
import type { FakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { mortalStore } from '../fakes/mortal.ts'
import { type FakeTrackers, ISSUES, TOKEN } from '../fakes/trackers.ts'

export const collections = [deliveryRows, reports] as unknown as readonly Collection[]
export const DELAYS_MS = [30_000, 300_000, 1_800_000, 7_200_000, 43_200_000]
export const SECRET = 'CANARY-secret-of-the-operator'

type World = { store: Store; clock: FakeClock; trackers: FakeTrackers }

const never = async (): Promise<never> => {
  throw new Error('Nothing is sent but reports')
}

/** Reports and their deliveries as one process has them, over real storage and real requests; tasks and time are fakes. */
export const openReporting = ({ store: real, clock, trackers }: World) => {
  const { state: death, wrapStore } = mortalStore()
  const store = wrapStore(real)
  const log = createFakeLog()
  const tasks = new Map<string, Task>()
  const settings = { on: true, linked: true, ended: false }
  const reporting = createReporting({
    store,
    clock,
    masker: createMasker([SECRET]),
    trackers: createTrackers({ fetch: createProviderFetch(), clock, apiUrls: trackers.apiUrls }),
    access: {
      writerAt: async () => {
        const id = settings.ended ? 'account_ended' : 'account_1'
        return settings.linked ? { id, username: 'Ann', cloudId: 'cloud-other' } : undefined
      },
      validToken: async (id) => {
        settings.ended = false
        if (id === 'account_ended') throw new Problem('invalid', 'connection_expired', 'Link it again')
        return TOKEN
      },
    },
    findTask: async (id) => tasks.get(id),
    addDelivery: (delivery) => deliveries.add(delivery),
    isOn: () => settings.on,
    addresses: trackers.apiUrls,
    publicUrl: 'https://agents.example.com',
  })
  const deliveries = createDeliveries({
    store,
    clock,
    log,
    endpoints: reporting.endpoints,
    tracing: createTracing({ clock }),
    outbound: { check: never, send: never },
    cipher: { seal: never, open: never },
    delaysMs: () => DELAYS_MS,
  })
  /** A task that an event has made, and that has ended. */
  const make = async (name: TrackerName, id = 'task_1', more: Partial<Task> = {}) => {
    const task = issueTask(id, name, clock, more)
    tasks.set(id, task)
    const [write] = makeReportWrites(task, name, ISSUES[name])
    if (write) await real.commit(write)
    return task
  }
  /** The task ends; what is due of that is sent. */
  const end = async (id = 'task_1', more: Partial<Task> = {}) => {
    const task = tasks.get(id)
    if (task === undefined) throw new Error('There is no such task')
    tasks.set(id, { ...task, status: 'completed', completedAt: iso(clock.now()), ...more })
    await reporting.ended(id)
    await deliveries.settled()
  }
  const pass = async (ms: number) => {
    clock.advance(ms)
    await deliveries.sendDue()
    await deliveries.settled()
  }
  return { ...reporting, deliveries, settings, death, log, tasks, make, end, pass }
}

export const FAILED = { status: 'failed', error: { code: 'agent_failed', message: 'It broke' } } as const

export const issueTask = (
  id: string,
  source: TrackerName,
  clock: FakeClock,
  more: Partial<Task> = {},
): Task => {
  const at = iso(clock.now())
  return {
    id,
    title: 'A task',
    priority: 3,
    status: 'completed',
    source,
    labels: [],
    agent: 'test-agent',
    attempts: 1,
    maxAttempts: 3,
    createdAt: at,
    updatedAt: at,
    createdBy: `webhook:${source}`,
    result: { success: true, output: 'I mended the checkout.' },
    ...more,
  }
}
