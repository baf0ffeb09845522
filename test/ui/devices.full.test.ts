import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { expectSound } from './sound.ts'

// test/ui/browser.ts gives the reason by process.stderr.write().
const within = hasBrowser ? describe : describe.skip

within('devices and the audit', () => {
  let service: OpenedService | undefined
  let open: Awaited<ReturnType<typeof openPage>>

  beforeAll(async () => {
    if (!hasBrowser) return
    service = await openService()
    open = await openPage(service.baseUrl, '/settings/devices')
  })
  afterAll(async () => {
    await Promise.all([closeBrowser(), service?.[Symbol.asyncDispose]()])
  })

  it('pair a device by the code of a QR code, live, and remove it', async () => {
    const { page } = open
    await page.getByText(/^sha256:[0-9a-f]{64}$/).waitFor()
    await page.getByRole('button', { name: 'Show pairing code' }).click()
    const picture = page.getByRole('img', { name: 'QR code' })
    await picture.waitFor()
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(20)
    await page.getByText(/\d:\d\d left/).waitFor()
    const code = (await picture.getAttribute('alt'))?.split(' ').at(-1) ?? ''
    await page.getByRole('textbox', { name: 'Code' }).fill(code.toLowerCase())
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('status').filter({ hasText: 'Approved' }).waitFor()
    await page.getByRole('button', { name: 'Revoke By QR code' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No paired devices').waitFor()
  })

  it('say that a code is wrong, and lead from who waits to the field of the code, which alone approves them', async () => {
    const { page, context } = open
    await context.request.post('/api/devices/pairing/request', { data: { requesterId: 'A laptop' } })
    const waiting = page.getByRole('listitem').filter({ hasText: 'A laptop' })
    await waiting.waitFor()
    await waiting.getByRole('button', { name: 'Enter its code' }).click()
    await page.keyboard.insertText('000000000')
    expect(await page.getByRole('textbox', { name: 'Code' }).inputValue()).toBe('000 000 000')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'This code is wrong, used or expired' }).waitFor()
  })

  it('have on record what was done, each entry at its own address', async () => {
    const { page } = open
    await page.goto('/settings/audit')
    await page.getByLabel('Action').selectOption('Device approved')
    await page.getByRole('button', { name: 'Device approved' }).click()
    await page.getByRole('dialog').getByText('device.approve').waitFor()
    await page.reload()
    await page.getByRole('dialog').getByText('device.approve').waitFor()
    expect(new URL(page.url()).searchParams.get('action')).toBe('device.approve')
  })

  it.each([
    ['/settings/devices', 'A laptop'],
    ['/settings/audit', 'Device revoked'],
    ['/settings/access-key', 'Set key'],
  ])('are sound at %s', async (path, text) => {
    await open.page.goto(path)
    await open.page.locator('main').getByText(text).filter({ visible: true }).first().waitFor()
    await expectSound(open)
  })
})
