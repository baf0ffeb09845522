import { expect, it } from '@jest/globals'
import { createTrackerApi } from '../fakes/trackers.ts'
import { clockAhead, startService, temporaryFolder } from '../journeys/service.ts'
import { createBrowser } from '../oauth/browser.ts'
import { startProvider } from '../oauth/provider.ts'
import { issueLabeled } from '../webhooks/payloads/codehost.ts'
import { secretEnv, signedHeaders } from '../webhooks/signed.ts'

/** A delivery whose process died is sent again after a minute, which has passed when the service is started again. */
const LEASE_MS = 60_000
const SENT_AGAIN_MS = 60_000

it('is one comment, although the process is killed between the comment and the record of it', async () => {
  using folder = temporaryFolder()
  await using provider = await startProvider()
  const tracker = createTrackerApi()
  provider.state.api = (call) => {
    tracker.state.token = String(call.headers.authorization).replace(/^Bearer /, '')
    return tracker.call(call)
  }
  const env = {
    ...provider.env(),
    ...secretEnv,
    DATA_DIR: folder.in('data'),
    AGENT_ADAPTERS: 'test/fixtures/agents/moody.ts',
    DEFAULT_AGENT: 'moody',
  }
  const service = await startService({ env })
  await using _killed = service
  provider.register(service.baseUrl)
  expect((await createBrowser(service.baseUrl, provider).signIn('codehost')).location).toBe('/')

  const posted = Promise.withResolvers<void>()
  tracker.state.after = async ({ method }) => {
    if (method !== 'POST') return
    posted.resolve()
    await service.kill9()
  }
  const body = JSON.stringify(issueLabeled('ai-task'))
  const answer = await fetch(`${service.baseUrl}/api/webhooks/codehost`, {
    method: 'POST',
    body,
    headers: signedHeaders({ sender: 'codehost', event: 'issues', body }),
  })
  const { task } = (await answer.json()) as { task: { id: string } }
  await posted.promise
  await service.exited

  await using again = await startService({ env, nodeArgs: clockAhead(LEASE_MS) })
  const fetchReport = async () => {
    const { task: read } = (await (await fetch(`${again.baseUrl}/api/tasks/${task.id}`)).json()) as {
      task: { report?: { status: string } }
    }
    return read.report
  }
  expect(await fetchReport()).toMatchObject({ provider: 'codehost', status: 'pending' })
  for (const until = performance.now() + SENT_AGAIN_MS; performance.now() < until; ) {
    if ((await fetchReport())?.status === 'reported') break
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  expect(await fetchReport()).toMatchObject({
    status: 'reported',
    url: expect.stringContaining('#issuecomment-'),
  })
  expect(tracker.said('codehost')).toEqual([expect.stringContaining('done by attempt 1')])
  expect(tracker.calls.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'PATCH'])
})
