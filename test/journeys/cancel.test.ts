import { readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { chunk, hang, startWire } from '../fakes/model-wire.ts'
import { until } from './api.ts'
import { type Connection, connect, eventTypes } from './client.ts'
import { openedService, openService } from './opened-service.ts'

/** The processes of this machine that were started with this argument. */
const processesWith = (argument: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => processArguments(pid).includes(argument))

const processArguments = (pid: string): string[] => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  } catch {
    return []
  }
}

// One slot: what comes after a cancelled task runs only when that slot is free again.
const service = openedService({ QUEUE_CONCURRENCY: '1' })
let api: Connection
beforeAll(() => {
  api = connect(service().baseUrl)
})

/** Resolves when a progress event of the task begins with this text. */
const untilProgress = (on: Connection, id: string, text: string) =>
  until(async () => (await on.events(id)).find(({ message }) => message?.startsWith(text)))

const cancel = async (on: Connection, id: string) => {
  const { message, task } = await on.client.cancelTask({ params: { id } })
  expect(message).toBe('Task cancelled')
  expect(task).toMatchObject({ id, status: 'cancelled', completedAt: expect.any(String) })
}

describe('a cancel of a coding-agent task', () => {
  it('that waits for a slow model frees its slot, for good', async () => {
    const { id } = await api.create({ title: 'Slow', prompt: 'demo: slow 600000\ndemo: say never said' })
    await untilProgress(api, id, 'Step 1')
    const next = await api.create({ title: 'Next', prompt: 'demo: say my turn' })
    await cancel(api, id)
    await until(async () => ((await api.task(next.id)).status === 'queued' ? undefined : true))
    expect(await api.untilTask(next.id, 'completed', 'failed')).toMatchObject({ status: 'completed' })
    const task = await api.task(id)
    expect(task).toMatchObject({ status: 'cancelled', attempts: 1 })
    expect(task).not.toHaveProperty('result')
    expect(eventTypes(await api.events(id)).at(-1)).toBe('cancelled')
    expect((await api.client.listDlq({ query: { status: 'all' } })).items).not.toMatchObject([{ taskId: id }])
  })

  it('ends the processes that its tools started', async () => {
    // Seconds that no other process of this machine sleeps.
    const seconds = `100.${process.pid}`
    const call = JSON.stringify({ command: 'sleep', args: [seconds] })
    const { id } = await api.create({ title: 'Sleeper', prompt: `demo: tool run_command ${call}` })
    await until(() => processesWith(seconds)[0])
    await cancel(api, id)
    await until(() => processesWith(seconds).length === 0 || undefined)
    expect((await api.task(id)).status).toBe('cancelled')
  })

  it('closes the connection to its model', async () => {
    const wire = await startWire(hang(chunk({ role: 'assistant', content: 'Let me think about' })))
    const env = {
      OPENAI_API_KEY: 'any',
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      OPENAI_MODEL: 'm',
    }
    try {
      await using hanging = await openService(env)
      const on = connect(hanging.baseUrl)
      const { id } = await on.create({ title: 'Hanging' })
      const { closed } = await until(() => wire.heard[0])
      let isClosed = false
      closed.then(() => (isClosed = true))
      await untilProgress(on, id, 'Step 1')
      expect(isClosed).toBe(false)
      await cancel(on, id)
      await closed
      expect((await on.task(id)).status).toBe('cancelled')
      expect(wire.heard).toHaveLength(1)
    } finally {
      await wire.close()
    }
  })
})
