import { describe, expect, it } from '@jest/globals'
import { until } from './api.ts'
import { connect } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { isOffline, startService } from './service.ts'

type Line = { level: string; msg: string } & Record<string, unknown>

const logLines = (output: string): Line[] =>
  output.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))

/** Without what differs from run to run. */
const fixed = ({ time: _time, ms: _ms, ...line }: Line) => line

// The offline stack puts its own words around what functions write.
if (isOffline) process.stdout.write('Log lines are read from the one process only.\n')
const inOneProcess = isOffline ? describe.skip : describe

inOneProcess('the log at level info', () => {
  it('has a line for each request and for each change of a task, joined by the request id', async () => {
    using world = moodyWorld({ LOG_LEVEL: 'info', QUEUE_RETRY_BACKOFF_MS: '1' })
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const { id } = await api.create(moodyTask('second time lucky', { failures: 1 }))
    await api.untilTask(id, 'completed')
    await fetch(`${service.baseUrl}/api/nowhere?token=secret`)
    const { requestId: pairing } = await api.client.requestPairing({ body: { requesterId: 'a laptop' } })
    await api.client.getPairingStatus({ params: { requestId: pairing } })
    const isComplete = (line: Line) => line.taskId === id && line.to === 'completed'
    const lines = await until(() => {
      const all = logLines(service.output())
      return all.some(isComplete) && all.some((line) => line.operation === 'getPairingStatus')
        ? all
        : undefined
    })

    const requests = lines.filter(({ msg }) => msg === 'request')
    const made = requests.find(({ operation }) => operation === 'createTask')
    const requestId = made?.requestId
    expect(requestId).toMatch(/^req_/)
    expect(made && fixed(made)).toEqual({
      level: 'info',
      msg: 'request',
      requestId,
      method: 'POST',
      path: '/api/tasks',
      operation: 'createTask',
      status: 201,
      user: 'local',
    })
    expect(requests.every(({ ms }) => typeof ms === 'number')).toBe(true)
    const unknown = requests.find(({ status }) => status === 404)
    expect(unknown && fixed(unknown)).toEqual({
      level: 'info',
      msg: 'request',
      requestId: expect.any(String),
      method: 'GET',
      path: '/api/nowhere',
      status: 404,
    })
    expect(lines.filter(({ msg }) => msg === 'task').map(fixed)).toEqual(
      [
        { to: 'queued' },
        { from: 'queued', to: 'in_progress', attempt: 1 },
        { from: 'in_progress', to: 'queued', attempt: 1 },
        { from: 'queued', to: 'in_progress', attempt: 2 },
        { from: 'in_progress', to: 'completed', attempt: 2 },
      ].map((change) => ({ level: 'info', msg: 'task', requestId, taskId: id, ...change })),
    )

    const failed = await api.create(moodyTask('hopeless', { failures: 99 }))
    await api.untilTask(failed.id, 'failed')
    const { items } = await api.client.listDlq({ query: {} })
    await api.client.retryDlqItem({
      params: { id: items.find((item) => item.taskId === failed.id)?.id ?? '' },
    })
    const retried = await until(() => {
      const all = logLines(service.output())
      const asked = all.find(({ operation }) => operation === 'retryDlqItem')
      const queued = all.find(
        ({ taskId, from, to }) => taskId === failed.id && from === 'failed' && to === 'queued',
      )
      return asked && queued && { asked, queued }
    })
    expect(retried.queued.requestId).toBe(retried.asked.requestId)
    // Health is asked for all the time; a pairing request's id opens its token.
    expect(requests.some(({ path }) => path === '/api/health/ready')).toBe(false)
    expect(service.output()).not.toContain(pairing)
  })
})
