import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { submit } from './submit.ts'

const SUBSCRIPTION = {
  endpoint: 'https://127.0.0.1:9/browser',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  device: 'Chrome on Linux',
  topics: ['results'],
}

// A password is the way of sign-in.test.ts.
inBrowser('the sign-in', () => {
  let [cloud, local]: OpenedService[] = []
  let visits = 0
  const elsewhere = createServer((_request, response) => {
    visits += 1
    response.end()
  })

  beforeAll(async () => {
    if (!hasBrowser) return
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const provider = (name: string) => ({
      [`${name}_CLIENT_ID`]: 'id',
      [`${name}_CLIENT_SECRET`]: 'secret',
      [`${name}_AUTHORIZE_URL`]: `http://127.0.0.1:${port}/authorize`,
    })
    const providers = { ...provider('CODEHOST'), ...provider('TRACKERB') }
    ;[cloud, local] = await Promise.all([
      openService({ AUTH_MODE: 'cloud', OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...providers }),
      openService({ ACCESS_KEY: 'a key of ours' }),
    ])
    const body = { name: 'Ada', email: 'ada@example.com', password: 'correct horse 1' }
    await connect(at(cloud)).client.signup({ body })
  })
  afterAll(async () => {
    elsewhere.close()
    await Promise.all([closeBrowser(), cloud?.[Symbol.asyncDispose](), local?.[Symbol.asyncDispose]()])
  })
  const at = (service: OpenedService | undefined) => service?.baseUrl ?? ''

  it('turns notifications off in the browser that one signs out in', async () => {
    await using open = await openPage(at(cloud), '/login')
    const { page } = open
    await submit(page, { Email: 'ada@example.com', Password: 'correct horse 1' })
    await page.getByRole('button', { name: 'Ada', exact: true }).waitFor()
    const ended = new Promise<void>((resolve) => page.exposeFunction('endedInBrowser', resolve))
    // A browser of a test reaches no push service.
    const id = await page.evaluate(async (body) => {
      await navigator.serviceWorker.register('/push-worker.js')
      const { endedInBrowser } = globalThis as unknown as { endedInBrowser: () => void }
      Object.assign(PushManager.prototype, { getSubscription: async () => ({ unsubscribe: endedInBrowser }) })
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const { subscription } = await (await fetch('/api/alerts/subscriptions', init)).json()
      localStorage.setItem('subscription-of-this-browser', subscription.id)
      return subscription.id
    }, SUBSCRIPTION)
    await page.getByRole('button', { name: 'Ada', exact: true }).click()
    const [removed] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith(`/api/alerts/subscriptions/${id}`)),
      page.getByRole('button', { name: 'Sign out' }).click(),
    ])
    expect([removed.request().method(), removed.status()]).toEqual(['DELETE', 200])
    await ended
    await page.waitForURL('**/login')
  })

  it('asks for the access key, and says when one may try again after too many', async () => {
    await using open = await openPage(at(local), '/login?from=/settings')
    const guess = () => open.context.request.post('/api/auth/verify-access-key', { data: { key: 'a guess' } })
    await submit(open.page, { 'Access key': 'not it' })
    await open.page.getByRole('alert').filter({ hasText: 'The access key is wrong' }).waitFor()
    while ((await guess()).status() !== 429);
    await submit(open.page, { 'Access key': 'a key of ours' })
    const refusal = open.page.getByRole('alert').filter({ hasText: 'Too many' })
    expect(await refusal.innerText()).toMatch(/Try again in [01]:\d\d/)
  })

  it('offers the providers that are configured, without beginning a sign-in with any', async () => {
    await using open = await openPage(at(cloud), '/login')
    await open.page.getByRole('link', { name: 'Continue with' }).first().waitFor()
    const names = await open.page.getByRole('link', { name: 'Continue with' }).allInnerTexts()
    expect(names).toEqual(['Continue with GitHub', 'Continue with Linear'])
    expect([await open.context.cookies(), visits]).toEqual([[], 0])
  })

  it.each(['/login?error=invite_required', '/signup'])('is sound at %s', async (path) => {
    await using open = await openPage(at(cloud), path)
    await open.page.getByRole('link', { name: 'Continue with' }).first().waitFor()
    await expectSound(open)
  })
})
