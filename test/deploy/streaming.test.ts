import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { startCloud } from './cloud.ts'
import { startProgram } from './program.ts'
import { printStage } from './serverless.ts'
import { ofType } from './template.ts'

let cloud: Awaited<ReturnType<typeof startCloud>>
let program: Awaited<ReturnType<typeof startProgram>>
let streamed: string[]
let stop: () => void
beforeAll(async () => {
  cloud = await startCloud()
  const environment = await cloud.environmentOf()
  stop = environment.stop
  program = await startProgram(['functions/agentic/server.ts'], environment.env)
  const [[, distribution] = []] = ofType(printStage('dev').resources, 'AWS::CloudFront::Distribution')
  const behaviors: { PathPattern: string }[] = distribution?.Properties.DistributionConfig.CacheBehaviors
  streamed = behaviors.map(({ PathPattern }) => PathPattern)
}, 60_000)
afterAll(async () => {
  await program?.stop()
  stop?.()
  await cloud?.stop()
})

const ask = async (method: string, path: string) => {
  const answer = await fetch(program.url + path.replaceAll(/\{[^}]+\}/g, 'x'), { method })
  return { status: answer.status, ...((await answer.json()) as { code: string }) }
}

describe('the streaming function', () => {
  it('serves what the distribution sends to it, and no other route', async () => {
    const served: string[] = []
    for (const { method, path } of Object.values(routes)) {
      const { code } = await ask(method, path)
      if (code !== 'route_not_found') served.push(path)
    }
    expect(served.length).toBeGreaterThan(0)
    expect(served.sort()).toEqual(streamed.sort())
  })

  it('is sent no path of which another function has a method', () => {
    const of = (path: string) => Object.values(routes).filter((route) => route.path === path)
    for (const path of streamed) expect(of(path)).toHaveLength(1)
  })

  it('lets nobody in who has not signed in, though AWS does', async () => {
    for (const { method, path } of Object.values(routes))
      if (streamed.includes(path)) expect(await ask(method, path)).toMatchObject({ status: 401 })
  })

  it('takes no events of queues', async () => {
    expect(await ask('POST', '/events')).toMatchObject({ status: 404, code: 'route_not_found' })
  })
})
