import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { deliveryCurl, deliveryText } from '../../functions/ui/app/views/webhooks/curl.ts'
import { type Language, languages, type Way, ways } from '../../functions/ui/app/views/webhooks/languages.ts'
import { snippets } from '../../functions/ui/app/views/webhooks/snippets.ts'
import { signatureHeaders } from '../../lib/deliveries/signature.ts'
import type { Webhook, WebhookDelivery } from '../../lib/outbound-webhooks/schema.ts'
import { type Receiver, startReceiver } from '../adapters/outbound-receiver.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { moodyWorld } from '../journeys/moody.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { root } from '../journeys/service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { type Heard, isHere, snippetVerdicts } from './snippet-runner.ts'
import { expectSound } from './sound.ts'

const DAY_MS = 86_400_000
const [SECRET, OLD] = ['wh_sec_new-Ü', 'wh_sec_old']

/** Deliveries signed with both secrets, as for a day after a rotation, and tampered ones. */
const heardBy = (way: Way): readonly (readonly [what: string, heard: Heard, isRight: boolean])[] => {
  const body = '{"id":"evt_1","payload":{"title":"Grüße"}}'
  const sent = (atMs: number) => signatureHeaders({ id: 'evt_1', body, secrets: [SECRET, OLD], atMs })
  const headers = sent(Date.now())
  const heard = { body, headers, secret: SECRET }
  const name = way === 'simple' ? 'x-svc-signature' : 'webhook-signature'
  const isStandard = way === 'standard'
  return [
    ['what was sent', heard, true],
    ['what was sent, under the old secret', { ...heard, secret: OLD }, isStandard],
    ['another body', { ...heard, body: body.replace('1', '2') }, false],
    ['another secret', { ...heard, secret: 'wh_sec_other' }, false],
    ['no signature', { ...heard, headers: { ...headers, [name]: '' } }, false],
    ['no headers', { ...heard, headers: {} }, false],
    ['a signature of other letters', { ...heard, headers: { ...headers, [name]: 'ß'.repeat(71) } }, false],
    ['what was recorded a day ago', { ...heard, headers: sent(Date.now() - DAY_MS) }, !isStandard],
    ['another time', { ...heard, headers: { ...headers, 'webhook-timestamp': 'soon' } }, !isStandard],
    ['another id', { ...heard, headers: { ...headers, 'webhook-id': 'evt_2' } }, !isStandard],
  ]
}

const rows = (Object.keys(languages) as Language[]).flatMap((language) =>
  (Object.keys(ways) as Way[]).map((way) => [language, way] as const),
)

describe('the snippet for a receiver', () => {
  const missing = (Object.keys(languages) as Language[]).filter((one) => !isHere(one))
  if (missing.length > 0)
    process.stderr.write(`Snippets are not run in ${missing.join(', ')}: this machine does not have it.\n`)

  for (const [language, way] of rows)
    (missing.includes(language) ? it.skip : it)(
      `in ${language} by ${way} headers tells what the service sent from all else`,
      () => {
        const cases = heardBy(way)
        const verdicts = snippetVerdicts(
          language,
          snippets[language][way],
          cases.map(([, heard]) => heard),
        )
        const results = cases.map(([what], n) => `${what}: ${verdicts[n]}`)
        expect(results).toEqual(cases.map(([what, , isRight]) => `${what}: ${isRight}`))
      },
    )

  it('is in the guide as well', () => {
    const guide = readFileSync(path.join(root, 'docs/guide/outbound-webhooks.md'), 'utf8')
    expect(guide).toContain(`\`\`\`js\n${snippets.node.simple}\`\`\``)
  })
})

const world = moodyWorld({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1', CODEHOST_WEBHOOK_SECRET: 'from the code host' })
let service: OpenedService
let api: ReturnType<typeof connect>
let receiver: Receiver

beforeAll(async () => {
  if (!hasBrowser) return
  receiver = await startReceiver()
  service = await openService(world.env)
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
  world[Symbol.dispose]()
})

const open = (at = '/settings/webhooks') => openPage(service.baseUrl, at)
const webhook = async (path: string, more: { secret?: string } = {}) =>
  (
    await api.client.createWebhook({
      body: { url: receiver.url.replace('hook', path), events: ['task.created'], ...more },
    })
  ).webhook
const read = async (id: string) => (await api.client.getWebhook({ params: { id } })).webhook
const deliveries = async (id: string, limit = 50) =>
  (await api.client.listWebhookDeliveries({ params: { id }, query: { limit } })).deliveries
const heardAt = (path: string) => receiver.heard.filter((one) => one.path === `/${path}`)
const expectGood = async (opened: Awaited<ReturnType<typeof open>>) => {
  await expectSound(opened)
  await opened.page.setViewportSize({ width: 1280, height: 800 })
}
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })
const rowWith = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const isToast = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor()

describe('a delivery as a curl command', () => {
  const delivery = (payload: object) =>
    ({ id: 'evt_1', event: 'task.failed', timestamp: '2026-01-01T00:00:00.000Z', payload }) as WebhookDelivery
  const odd = { title: `It's "$HOME" \`id\` \\ %s \n é\u0000 'quoted'`, error: '$(touch /tmp/x); !!' }

  it.each([
    ['signed', 'wh_sec_********'],
    ['unsigned', undefined],
  ] as const)('sends the very body, %s, whatever characters it has', async (_, masked) => {
    await using own = await startReceiver()
    const url = `${own.url}?a=1&b='2'`
    const command = deliveryCurl({ url, ...(masked && { secret: masked }) } as Webhook, delivery(odd))
    expect(command.includes('PUT THE SIGNING SECRET HERE')).toBe(masked !== undefined)
    const script = command.replace("'PUT THE SIGNING SECRET HERE'", `'${SECRET}'`)
    // The receiver is in this process: it answers while the shell runs.
    await promisify(execFile)('sh', ['-c', `${script} --silent`])
    const [heard] = own.heard
    expect(heard?.body).toBe(deliveryText(delivery(odd)))
    const sent = heard?.headers ?? {}
    expect(sent).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'evt_1' })
    if (masked === undefined) return
    const atMs = Number(sent['webhook-timestamp']) * 1_000
    const expected = signatureHeaders({ id: 'evt_1', body: heard?.body ?? '', secrets: [SECRET], atMs })
    expect(sent).toMatchObject(expected)
  })
})

inBrowser('the view of webhooks', () => {
  it('makes one: what is wrong is said at its field, the secret is shown once, and a test comes signed with it', async () => {
    await using opened = await open()
    const { page } = opened
    await page.getByText('No webhooks yet').waitFor()
    await page.getByText('From a script').click()
    await page.getByText(`curl -X POST ${service.baseUrl}/api/webhooks`).waitFor()
    const inbound = page.getByRole('list', { name: 'Inbound webhooks' })
    await inbound.getByText('no events yet').waitFor()
    expect(await inbound.getByText('Not set up').count()).toBe(2)
    await inbound.getByText('TRACKERB_WEBHOOK_SECRET').waitFor()
    await expectGood(opened)

    await page.getByRole('link', { name: 'New webhook' }).first().click()
    await page.getByRole('textbox', { name: 'URL' }).fill('http://10.0.0.1/hook')
    for (const name of [/^task.completed/, /^task.failed/])
      await page.getByRole('checkbox', { name }).uncheck()
    await page.getByRole('radio', { name: /^Use my own secret/ }).check()
    await page.getByRole('textbox', { name: 'Secret' }).fill('short')
    const make = button(page, 'Create webhook')
    await make.click()
    await page.getByText('must have at least one event').waitFor()
    await page.getByText('at least 8 characters', { exact: false }).first().waitFor()
    await expectGood(opened)
    await page.getByRole('checkbox', { name: '*' }).check()
    await page.getByRole('radio', { name: 'Generate a secret' }).check()
    await make.click()
    // Private addresses are refused last.
    await page.locator('[aria-invalid=true][name=url]:focus').waitFor()
    await page.getByRole('textbox', { name: 'URL' }).fill(receiver.url)
    await make.click()
    const secret = (
      await page
        .locator('code')
        .filter({ hasText: /^wh_sec_/ })
        .innerText()
    ).trim()
    await page.getByText('It is not shown again').waitFor()
    await expectGood(opened)

    await page.getByRole('link', { name: /open the webhook/ }).click()
    await page.getByText('No deliveries yet').waitFor()
    expect(await page.content()).not.toContain(secret)
    await expectGood(opened)
    receiver.answer = (response) => response.end('thank you')
    await button(page, /^Send test/).click()
    const dialog = page.getByRole('dialog', { name: 'Test' })
    await dialog.getByText('Delivered').waitFor()
    expect(await dialog.getByRole('list', { name: 'Attempts' }).innerText()).toMatch(/200[\s\S]*thank you/)
    const [heard] = receiver.heard
    expect(JSON.parse(await dialog.getByRole('region', { name: 'Body' }).innerText())).toEqual(
      JSON.parse(heard?.body ?? ''),
    )
    await dialog.getByRole('button', { name: 'Close' }).last().click()

    await page.getByRole('link', { name: 'Verify' }).click()
    const { body = '', headers = {} } = heard ?? {}
    const seen = { body, headers: headers as Heard['headers'] }
    for (const way of Object.values(ways)) {
      await page.getByRole('navigation', { name: 'Headers' }).getByRole('link', { name: way }).click()
      await page.getByRole('link', { name: 'Python' }).click()
      await page.getByRole('region', { name: 'Code in Python' }).waitFor()
      await page.getByRole('link', { name: 'Node', exact: true }).click()
      // The text follows its label a moment later, so it is read until it is whole.
      const node = page.getByRole('region', { name: 'Code in Node' })
      const code = await until(async () => {
        const text = await node.innerText()
        return text.includes('isFromService') && text.trimEnd().endsWith('}') ? text : undefined
      })
      const verdicts = snippetVerdicts('node', code, [
        { ...seen, secret },
        { ...seen, secret: `${secret}x` },
      ])
      expect(verdicts).toEqual([true, false])
    }
    expect(page.url()).toMatch(/\/verify\?.*way=simple/)
    await expectGood(opened)
    await api.client.deleteWebhook({ params: { id: /whk_[^/]+/.exec(page.url())?.[0] ?? '' } })
    await page.getByRole('link', { name: 'All webhooks' }).waitFor()
  })

  it('says what failed and why, what waits, and sends it: one, several, and all since a time', async () => {
    receiver.answer = (response) => response.writeHead(410).end('<b>gone</b>\u202e')
    const { id } = await webhook('gone', { secret: 'my own secret' })
    await api.create({ title: 'Lost' })
    await until(async () => ((await read(id)).failing ? true : undefined))
    await api.create({ title: 'Waits' })
    await until(async () => ((await deliveries(id)).length === 2 ? true : undefined))

    await using opened = await open()
    const { page } = opened
    await rowWith(page, '/gone').getByText('Failing').waitFor()
    await page.getByText('1 failing').waitFor()
    expect(
      await rowWith(page, '/gone')
        .getByRole('button', { name: /^Send test/ })
        .isEnabled(),
    ).toBe(true)
    await expectGood(opened)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/settings/webhooks/${id}`)
    await page.getByRole('note').getByText('its last delivery failed').waitFor()
    await page.getByText(/^Every delivery has failed with 410, the first .*: <b>gone<\/b>/).waitFor()
    await page.getByText('1 delivery waits.').waitFor()
    await rowWith(page, 'Held').waitFor()
    await rowWith(page, 'Failed').getByText('410').waitFor()
    expect(await button(page, 'Retry now').count()).toBe(0)
    expect(await button(page, 'Redeliver failed').getAttribute('title')).toBe('Paused. Resume it first')
    expect(await button(page, 'Redeliver failed').isDisabled()).toBe(true)
    await rowWith(page, 'Failed').getByRole('link').first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('<b>gone</b>\\u{202e}').waitFor()
    await dialog.getByText('Sent even if the webhook is paused').waitFor()
    await dialog.getByText('Request headers').click()
    await dialog.getByText('x-svc-signature: sha256=********').waitFor()
    await dialog.getByRole('link', { name: 'Lost' }).waitFor()
    await dialog.getByRole('button', { name: 'Copy as curl' }).waitFor()
    await expectGood(opened)
    await page.keyboard.press('Escape')
    await page.getByRole('combobox', { name: 'State' }).selectOption('Failed')
    await page.waitForURL('**?state=failed')
    await rowWith(page, 'Held').waitFor({ state: 'detached' })
    await rowWith(page, 'Lost').waitFor()
    await page.getByRole('combobox', { name: 'State' }).selectOption('All states')

    receiver.answer = (response) => response.writeHead(500).end('still broken')
    await button(page, /^Resume/).click()
    await inDialog(page, 'Send one first').click()
    await dialog.getByRole('alert').getByText('Still paused. The receiver responded: 500').waitFor()
    await dialog.getByText('still broken').waitFor()
    await expectGood(opened)
    expect([(await read(id)).active, heardAt('gone').length]).toEqual([false, 2])
    receiver.answer = (response) => response.end('ok')
    await inDialog(page, 'Send one again').click()
    await isToast(page, 'Resumed')
    await rowWith(page, 'Delivered').waitFor()
    expect([(await read(id)).active, heardAt('gone').length]).toEqual([true, 3])

    await button(page, 'Redeliver failed').click()
    await page.getByRole('radio', { name: 'custom' }).check()
    await inDialog(page, 'Redeliver').click()
    await page.locator('[aria-invalid=true][name=since]').waitFor()
    await expectGood(opened)
    await page.getByLabel('Since').fill('2020-01-01T00:00')
    await inDialog(page, 'Redeliver').click()
    await page.getByText('Redelivering 1 delivery.').waitFor()
    await inDialog(page, 'Done').click()
    await until(() => (heardAt('gone').length === 4 ? true : undefined))
    await rowWith(page, 'Failed').waitFor({ state: 'detached' })

    receiver.answer = (response) => response.writeHead(503).end('busy')
    await page.getByRole('link', { name: 'task.created' }).first().click()
    await dialog.getByRole('button', { name: 'Redeliver' }).click()
    await isToast(page, 'Redelivery failed')
    await dialog.getByText('busy').waitFor()
    await dialog.getByText('Retrying').waitFor()
    expect(page.url()).toContain('delivery=evt_')
    await page.keyboard.press('Escape')
    await rowWith(page, 'Retrying').waitFor()
    await page.getByText(/^1 failed send in a row, the last with 503: busy/).waitFor()
    await page.getByText(/^1 delivery waits, next attempt in /).waitFor()
    receiver.answer = (response) => response.end('ok')
    await button(page, 'Retry now').click()
    await page.getByText('1 of 1 delivered').waitFor()
    await inDialog(page, 'Done').click()
    await button(page, 'Retry now').waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select all loaded' }).check()
    await button(page, 'Redeliver 2').click()
    await page.getByText('2 of 2 delivered').waitFor()
    await inDialog(page, 'Done').click()
    expect((await deliveries(id)).map(({ status }) => status)).toEqual(['delivered', 'delivered'])
    await page.goto(`/settings/webhooks/${id}?delivery=evt_none`)
    await page.getByText('This delivery does not exist').waitFor()
    expect(opened.faults).toEqual([])
  })

  it('counts all attempts of a delivery, and numbers those that are kept as they were made', async () => {
    receiver.answer = (response) => response.end('ok')
    const { id } = await webhook('often')
    const { delivery } = await api.client.testWebhook({ params: { id } })
    for (let n = 0; n < 23; n += 1) await api.client.redeliver({ params: { id, deliveryId: delivery.id } })
    await using opened = await openPage(service.baseUrl, `/settings/webhooks/${id}`)
    const { page } = opened
    await rowWith(page, 'webhook.test').getByText('200, 24 attempts').waitFor()
    await rowWith(page, 'webhook.test').getByRole('link').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Attempts 2 to 4 are not stored.').waitFor()
    const texts = await dialog.getByRole('list', { name: 'Attempts' }).getByRole('listitem').allInnerTexts()
    const numbers = texts.map((text) => Number.parseInt(text, 10))
    expect(numbers).toEqual([1, ...Array.from({ length: 20 }, (_, n) => n + 5)])
    await expectGood(opened)
    await api.client.deleteWebhook({ params: { id } })
  })

  it('is gone through by keys, pauses and resumes several, and changes, signs anew and deletes one', async () => {
    for (const { id } of (await api.client.listWebhooks()).webhooks)
      await api.client.deleteWebhook({ params: { id } })
    const first = await webhook('first', { secret: 'my own secret' })
    const second = await webhook('second')
    await using opened = await open()
    const { page } = opened
    await rowWith(page, '/first').waitFor()
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key)
    await button(page, 'Pause 2').click()
    await page.getByText('2 of 2 paused').waitFor()
    await inDialog(page, 'Done').click()
    expect([await read(first.id), await read(second.id)].map(({ active }) => active)).toEqual([false, false])
    await page.getByRole('checkbox', { name: 'Select all loaded' }).check()
    await button(page, 'Resume 2').click()
    await inDialog(page, 'Resume 2').click()
    await page.getByText('2 of 2 resumed').waitFor()
    await inDialog(page, 'Done').click()
    expect([await read(first.id), await read(second.id)].map(({ active }) => active)).toEqual([true, true])
    const turn = (verb: string) =>
      rowWith(page, '/second')
        .getByRole('button', { name: new RegExp(`^${verb}`) })
        .click()
    await turn('Pause')
    await rowWith(page, '/second').getByText('Paused').waitFor()
    await turn('Resume')
    await rowWith(page, '/second').getByText('Active').waitFor()

    await page.getByRole('link', { name: '/first' }).click()
    // The menu has a link of this name as well.
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click()
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.fill('ftp://example.com/')
    await button(page, 'Save').click()
    await page.getByText('must be an http or https URL').waitFor()
    await expectGood(opened)
    await url.fill(receiver.url.replace('hook', 'changed'))
    await page.getByRole('checkbox', { name: '*' }).check()
    await button(page, 'Save').click()
    await isToast(page, 'Webhook saved')
    expect(await read(first.id)).toMatchObject({ url: expect.stringContaining('/changed'), events: ['*'] })

    await button(page, /^Rotate the secret/).click()
    await page.getByRole('dialog').getByText('Both are valid for 24 hours').waitFor()
    await inDialog(page, 'Rotate').click()
    await page
      .locator('code')
      .filter({ hasText: /^wh_sec_/ })
      .waitFor()
    await expectGood(opened)
    await button(page, 'I have copied it').click()
    await page
      .locator('code')
      .filter({ hasText: /^wh_sec_/ })
      .waitFor({ state: 'detached' })
    const own = page.getByRole('textbox', { name: 'Own secret' })
    await own.fill('short')
    await button(page, 'Set').click()
    await page.locator('[aria-invalid=true][name=secret]').waitFor()
    await own.fill('long enough')
    await button(page, 'Set').click()
    await isToast(page, 'Secret set')
    await button(page, /^Stop signing/).click()
    await inDialog(page, 'Stop signing').click()
    await page.getByText('Not signed', { exact: true }).waitFor()
    expect(await read(first.id)).not.toHaveProperty('secret')

    await button(page, /^Delete/).click()
    expect((await api.client.listWebhooks()).webhooks).toHaveLength(2)
    await inDialog(page, 'Delete').click()
    await page.waitForURL('**/settings/webhooks')
    await rowWith(page, '/second').waitFor()
    expect((await api.client.listWebhooks()).webhooks.map(({ id }) => id)).toEqual([second.id])

    // More than one page: the address opens the oldest.
    const params = { id: second.id }
    for (let n = 0; n < 60; n++) await api.client.testWebhook({ params })
    const oldest = (await deliveries(second.id, 200)).at(-1)
    await page.goto(`/settings/webhooks/${second.id}?delivery=${oldest?.id}`)
    await page.getByRole('dialog', { name: oldest?.event ?? '' }).waitFor()
    await page
      .getByRole('dialog')
      .getByText(oldest?.id ?? '', { exact: true })
      .waitFor()
    expect(opened.faults).toEqual([])
  })
})
