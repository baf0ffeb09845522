import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from '@jest/globals'
import { answerTo } from '../http/answer.ts'
import { taskApi, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'

const settings = { ANTHROPIC_API_KEY: 'never-used' }
const stopped = { code: 0, signal: null, stderr: '' }

/** A create whose head the service has read, and whose body is still to come. */
const beginCreate = async (baseUrl: string, agent: Agent) => {
  const body = JSON.stringify(scriptedTask('in flight', { runMs: 0 }))
  const sent = request(`${baseUrl}/api/tasks`, {
    agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  })
  sent.flushHeaders()
  await once(sent, 'continue')
  const closed = new Promise((resolve) => sent.socket?.once('close', resolve))
  // One that is cut tells so by `closed`.
  sent.on('error', () => undefined)
  return {
    finish: () => {
      sent.end(body)
      return answerTo(sent)
    },
    closed,
  }
}

const isRefused = async (baseUrl: string) => {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return undefined
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

describe('a service that gets SIGTERM during requests', () => {
  it('answers what is in flight, and takes no more', async () => {
    using world = scriptedWorld(settings)
    await using first = await startService(world)
    const create = await beginCreate(first.baseUrl, new Agent({ keepAlive: true }))
    first.kill('SIGTERM')
    await until(() => isRefused(first.baseUrl))
    const { status, json } = await create.finish()
    expect(status).toBe(201)
    expect(await first.exited).toMatchObject(stopped)
    await using second = await startService(world)
    const { id } = (json as { task: { id: string } }).task
    expect(await taskApi(second.baseUrl).untilTask(id, 'completed')).toMatchObject({ attempts: 1 })
  })

  it('closes what is kept open for nothing, while a caller still waits for an answer', async () => {
    using world = scriptedWorld(settings)
    await using service = await startService(world)
    const { hostname, port } = new URL(service.baseUrl)
    const silent = connect(Number(port), hostname)
    await once(silent, 'connect')
    const silentClosed = once(silent, 'close')
    const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const
    const soon = await beginCreate(service.baseUrl, agents[0])
    const late = await beginCreate(service.baseUrl, agents[1])
    service.kill('SIGTERM')
    await silentClosed
    expect((await soon.finish()).status).toBe(201)
    await soon.closed
    expect((await late.finish()).status).toBe(201)
    expect(await service.exited).toMatchObject(stopped)
  })

  it('ends when a request does not, and a run does not either', async () => {
    using world = scriptedWorld(settings)
    await using service = await startService(world)
    await taskApi(service.baseUrl).create(scriptedTask('deaf', { manner: 'deaf', runMs: 60_000 }))
    await until(() => world.journal()[0])
    const create = await beginCreate(service.baseUrl, new Agent())
    expect(await service.stop()).toMatchObject(stopped)
    await create.closed
  })
})
