import { describe, expect, it } from '@jest/globals'
import { openRunner } from '../../lib/app/runner/runner.ts'
import { createRunnerHealth, openStatusPage } from '../../lib/app/runner/status-page.ts'
import { readConfig } from '../../lib/config/config.ts'
import { freePort } from '../bench/free-port.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { openedService } from '../journeys/opened-service.ts'
import { temporaryFolder } from '../journeys/service.ts'

describe('the health of a runner', () => {
  it('follows its registration, and the last answer of the service', () => {
    const clock = createFakeClock()
    const { read, noteAnswer } = createRunnerHealth(clock)
    expect(read(true)).toEqual({ status: 'not_registered' })
    noteAnswer()
    expect(read(false)).toEqual({ status: 'not_registered' })
    clock.advance(60_000)
    expect(read(true)).toEqual({ status: 'ok', silentMs: 60_000 })
    clock.advance(1)
    expect(read(true)).toEqual({ status: 'disconnected', silentMs: 60_001 })
    noteAnswer()
    expect(read(true)).toEqual({ status: 'ok', silentMs: 0 })
  })
})

describe('the status page of a runner', () => {
  const service = openedService({ WORKER: 'off' })

  it('has a service that is ready, though it runs nothing itself', async () => {
    const ready = await fetch(`${service().baseUrl}/api/health/ready`)
    expect([ready.status, await ready.json()]).toMatchObject([200, { status: 'ready' }])
  })

  it('answers on its port while the runner is registered, and ends with it', async () => {
    const { client } = connect(service().baseUrl)
    const { token } = await client.createToken({ body: { name: 'of a runner', scopes: ['runner'] } })
    const folder = temporaryFolder()
    const port = await freePort()
    const settings = { url: service().baseUrl, token, name: 'shown', labels: [], concurrency: 1, once: false }
    const config = readConfig({ LOG_LEVEL: 'silent' })
    const runner = await openRunner(config, { ...settings, folder: folder.path, statusPort: port })
    const page = `http://127.0.0.1:${port}`
    const before = await fetch(`${page}/healthz`)
    expect([before.status, await before.json()]).toEqual([
      503,
      { status: 'not_registered', runner: 'shown', running: [] },
    ])
    const run = runner.run()
    await until(async () => (await fetch(`${page}/healthz`)).status === 200 || undefined)
    // It has no model: the script of the demo model is no answer to tasks of others.
    const { runners } = await client.listRunners()
    expect(runners.find(({ name }) => name === 'shown')?.agents.map(({ type }) => type)).not.toContain(
      'coding-agent',
    )
    expect((await fetch(page)).status).toBe(404)
    expect((await fetch(`${page}/healthz`, { method: 'POST' })).status).toBe(404)
    await expect(openStatusPage(port, () => ({}) as never)).rejects.toMatchObject({ code: 'bad_setting' })
    await Promise.all([runner.close(), run])
    await expect(fetch(`${page}/healthz`)).rejects.toThrow('fetch failed')
  })
})
