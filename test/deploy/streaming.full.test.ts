import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { streamedIn } from '../../offline/streamed.ts'
import { until } from '../journeys/api.ts'
import { startCloud } from './cloud.ts'
import { startProgram } from './program.ts'
import { printStage } from './serverless.ts'
import { ofType, type Resource } from './template.ts'

let cloud: Awaited<ReturnType<typeof startCloud>>
let program: Awaited<ReturnType<typeof startProgram>>
let distribution: Resource
let environment: Awaited<ReturnType<typeof cloud.openEnvironment>>
beforeAll(async () => {
  cloud = await startCloud()
  environment = await cloud.openEnvironment()
  program = await startProgram(['functions/agentic/server.ts'], environment.env)
  distribution = ofType(printStage('dev').resources, 'AWS::CloudFront::Distribution')[0]?.[1] as Resource
})
afterAll(async () => {
  await program?.stop()
  environment?.stop()
  await cloud?.stop()
})

const ask = async (method: string, path: string) => {
  const answer = await fetch(program.url + path.replaceAll(/\{[^}]+\}/g, 'x'), { method })
  return { status: answer.status, ...((await answer.json()) as { code: string }) }
}

const all = Object.values(routes)
const named = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
/** Those that the distribution sends to the function, by their path. */
const streamed = () => {
  const isStreamed = streamedIn({ Resources: { distribution } })
  return all.filter(({ path }) => isStreamed(path))
}
const NOT_SERVED = [404, 405]
/** What the distribution sends here where an option of the deployment says so. */
const BY_OPTION = ['POST /api/memory/search']

describe('the streaming function', () => {
  it('serves what the distribution sends to it, every method of it, and no other route', async () => {
    const served: string[] = []
    for (const route of all)
      if (!NOT_SERVED.includes((await ask(route.method, route.path)).status)) served.push(named(route))
    expect(served.length).toBeGreaterThan(0)
    expect(served.sort()).toEqual([...streamed().map(named), ...BY_OPTION].sort())
  })

  it('is sent nothing by a pattern that no route has', () => {
    const { DistributionConfig } = distribution.Properties
    const ours = DistributionConfig.CacheBehaviors.filter(
      (one: { TargetOriginId: string }) => one.TargetOriginId === 'streaming',
    )
    expect(ours).not.toEqual([])
    for (const behavior of ours) {
      const config = { DistributionConfig: { CacheBehaviors: [behavior] } }
      const isStreamed = streamedIn({
        Resources: { only: { ...distribution, Properties: config } as Resource },
      })
      expect(all.filter(({ path }) => isStreamed(path))).not.toEqual([])
    }
  })

  it('serves a request target in absolute form', async () => {
    const [{ method, path } = { method: '', path: '' }] = streamed()
    const { hostname, port } = new URL(program.url)
    const socket = connect(Number(port), hostname)
    socket.end(
      `${method} http://service.example${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`,
    )
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('refuses callers without a session, though AWS lets them pass', async () => {
    for (const { method, path } of streamed()) expect(await ask(method, path)).toMatchObject({ status: 401 })
  })

  it('takes no events of queues', async () => {
    expect(await ask('POST', '/events')).toMatchObject({ status: 404, code: 'route_not_found' })
  })
  // A connection that was busy when the server closed would be kept for another request, which cannot come, for 65 s.
  it('ends when it has answered, and keeps no connection that had a request then', async () => {
    const ending = await startProgram(['functions/agentic/server.ts'], environment.env)
    const { port, hostname } = new URL(ending.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    socket.write('GET /api/chat/providers HTTP/1.1\r\n')
    // It has read that once it has answered a request that came later.
    await (await fetch(ending.url)).text()
    const ended = ending.stop()
    const isClosed = async () =>
      (await fetch(ending.url, { headers: { connection: 'close' } }).catch(() => undefined)) === undefined
    await until(async () => (await isClosed()) || undefined)
    socket.write('host: localhost\r\n\r\n')
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /)
    await ended
  })
})
