import { httpEvent } from '../../fakes/http-event.ts'
import { median } from '../quantile.ts'
import { sqsEvent } from './events.ts'
import type { World } from './world.ts'

/** A new process of a function: its import, and its first answer, for which it opens what it stands on. */
export type Cold = { by: string; importMs: number; firstMs: number; cpuMs: number }

/** What is asked first of each function behind the HTTP API. */
const FIRST = {
  tasks: '/api/tasks?limit=50',
  queue: '/api/queue/status',
  agents: '/api/agents',
  notifications: '/api/notifications',
  auth: '/api/auth/me',
  devices: '/api/devices/paired',
  settings: '/api/settings',
  gateway: '/api/tokens',
  memory: '/api/memory/files',
  security: '/api/security/approvals',
  webhooks: '/api/webhooks',
  health: '/api/health',
  openapi: '/api/openapi.json',
} as const

/** A first event for each function; those behind queues get one without messages. */
const firstEvents = ({ known }: World): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    Object.entries(FIRST).map(([by, path]) => [by, httpEvent(`GET ${path}`, undefined, known)]),
  ),
  worker: sqsEvent(),
  notify: sqsEvent(),
  stream: { Records: [] },
  dlq: sqsEvent(),
  tick: {},
})

const coldStart = async (world: World, by: string, event: unknown) => {
  const started = await world.start(by)
  try {
    const first = await started.invoke(event)
    const cpuMs = started.imported.cpuMs + first.cpuMs
    return { importMs: started.imported.ms, firstMs: first.ms, cpuMs }
  } finally {
    await started.stop()
  }
}

/** Medians of so many cold starts of each function. The start of Node itself is not in them. */
export const coldStarts = async (world: World, rounds: number): Promise<Cold[]> => {
  const all: Cold[] = []
  for (const [by, event] of Object.entries(firstEvents(world))) {
    const starts: Awaited<ReturnType<typeof coldStart>>[] = []
    for (let round = 0; round < rounds; round += 1) starts.push(await coldStart(world, by, event))
    const middle = (field: 'importMs' | 'firstMs' | 'cpuMs') => median(starts.map((start) => start[field]))
    all.push({ by, importMs: middle('importMs'), firstMs: middle('firstMs'), cpuMs: middle('cpuMs') })
  }
  return all
}
