import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { startProgram } from './program.ts'
import { printStage } from './serverless.ts'
import { ofType } from './template.ts'

/** Names of nothing: a caller who is nobody gets no further than the guard. */
const NOWHERE = {
  SERVICE_MODE: 'pro',
  AWS_REGION: 'us-east-1',
  TASK_QUEUE_URL: 'http://127.0.0.1:9/tasks',
  TASK_URGENT_QUEUE_URL: 'http://127.0.0.1:9/urgent',
  NOTIFICATION_QUEUE_URL: 'http://127.0.0.1:9/notifications',
  FILES_BUCKET: 'nowhere',
}

let program: Awaited<ReturnType<typeof startProgram>>
let streamed: string[]
beforeAll(async () => {
  program = await startProgram(['functions/agentic/server.ts'], NOWHERE)
  const [[, distribution] = []] = ofType(printStage('dev').resources, 'AWS::CloudFront::Distribution')
  const behaviors: { PathPattern: string }[] = distribution?.Properties.DistributionConfig.CacheBehaviors
  streamed = behaviors.map(({ PathPattern }) => PathPattern)
}, 60_000)
afterAll(() => program?.stop())

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

  it('lets nobody in who has not signed in, though AWS does', async () => {
    for (const path of streamed) expect(await ask('GET', path)).toMatchObject({ status: 403 })
  })

  it('takes no events of queues', async () => {
    expect(await ask('POST', '/events')).toMatchObject({ status: 404, code: 'route_not_found' })
  })
})
