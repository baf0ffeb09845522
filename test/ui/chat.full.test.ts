import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

// The scripted demo model, served on loopback; lines of a message are its script.
let service: OpenedService
let api: ReturnType<typeof connect>

beforeAll(async () => {
  if (!hasBrowser) return
  service = await openService()
  api = connect(service.baseUrl)
  await api.client.changePolicy({ body: { defaultMode: 'full' } })
})
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
})

const open = (at: string) => openPage(service.baseUrl, at)
const converse = async () => (await api.client.createConversation({ body: {} })).conversation.id
const listSessions = async (conversationId: string) =>
  (await api.client.listAgentSessions({ query: { conversationId } })).sessions
const conversationAt = (page: Page) => page.url().split('/').at(-1) ?? ''

const firstEvents = async (sessionId: string) => {
  const leaving = new AbortController()
  const path = `${service.baseUrl}/api/chat/sessions/${sessionId}/events`
  const { body } = await fetch(path, { signal: leaving.signal })
  let text = ''
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (text.includes('session:start')) break
  }
  leaving.abort()
  return text.split('\n\n').slice(0, 2).join('\n\n').concat('\n\n')
}

const say = async (page: Page, ...lines: readonly string[]) => {
  const box = page.getByRole('textbox', { name: 'Message' })
  // Line breaks are typed, the rest is inserted: each key press renders the page.
  for (const at of lines.keys()) {
    if (at > 0) await box.press('Shift+Enter')
    await box.fill((await box.inputValue()) + lines[at])
  }
  await box.press('Enter')
}
const answer = (page: Page) => page.getByRole('article', { name: 'Answer' }).last()
const log = (page: Page) => page.getByRole('region', { name: 'Messages' })
/** The answer streams for seconds, so there is time to act. */
const SLOWLY = ['demo: slow 8000', 'demo: say One two three four five six seven eight nine ten.'] as const

inBrowser('a conversation', () => {
  it('begins with a message, and shows each step, thought and tool call of the answer', async () => {
    await using opened = await open('/chat')
    const { page } = opened
    await page.getByText('The scripted demo model answers').waitFor()
    await say(
      page,
      'demo: think Look before you leap',
      `demo: tool write_file ${JSON.stringify({ path: 'poem.txt', content: 'Roses\n'.repeat(20) })}`,
      'demo: tool read_file {"path":"none.txt"}',
      'demo: say The *poem* is <b>there</b>: [see](javascript:alert(1))',
    )
    await page.waitForURL(/\/chat\/conv_\w+$/)
    await answer(page).getByText('3 steps').waitFor()
    await answer(page).locator('em', { hasText: 'poem' }).waitFor()
    expect(await answer(page).innerText()).toContain('is <b>there</b>: see')
    expect(await answer(page).locator('b, a[href^=javascript]').count()).toBe(0)

    await answer(page).getByText('Thought').first().click()
    await answer(page).getByText('Look before you leap').first().waitFor()
    await answer(page).getByText('write_file poem.txt', { exact: true }).click()
    const call = answer(page).locator('details', { hasText: 'write_file poem.txt' }).last()
    expect(await call.getByLabel('Arguments').innerText()).toMatch(
      /path\s+poem\.txt\s+content\s+Roses\nRoses/,
    )
    await call.getByRole('button', { name: 'Show all of content, 21 lines' }).waitFor()
    expect(await call.getByRole('group', { name: 'Result' }).innerText()).toContain('Created poem.txt')
    await answer(page).getByText('read_file none.txt', { exact: true }).click()
    await answer(page).getByRole('group', { name: 'Error' }).getByText('does not exist').waitFor()
    await expectSound(opened)
    await call.getByRole('link', { name: 'Audit' }).click()
    const entry = page.getByRole('dialog', { name: 'write_file' })
    await entry.getByText('Created poem.txt').waitFor()
    await entry.getByRole('link', { name: /^sess_/ }).click()
    await page.waitForURL(/\/chat\/sessions\/sess_\w+$/)
    await page.getByText('write_file poem.txt', { exact: true }).waitFor()
    expect(opened.faults).toEqual([])
  })

  it('begins in the default mode, as a new task says which it runs in', async () => {
    const { client } = api
    await client.changePolicy({ body: { defaultMode: 'sandbox' } })
    await using opened = await open('/chat')
    const { page } = opened
    const mode = page.getByLabel('Mode', { exact: true })
    await mode.getByText('Read only (default)').waitFor({ state: 'attached' })
    expect(await mode.inputValue()).toBe('sandbox')
    await say(page, 'demo: tool write_file {"path":"a.txt","content":"one"}', 'demo: say Not so')
    await answer(page).getByText('Not so').waitFor()
    const { entries } = await client.listToolCalls({ query: { limit: 1 } })
    expect(entries.map((call) => [call.mode, call.decision])).toEqual([['sandbox', 'denied']])
    await client.changePolicy({ body: { defaultMode: 'full' } })
    await page.keyboard.press('Escape')
    await page.keyboard.press('c')
    const dialog = page.getByRole('dialog', { name: 'Create task' })
    const taskMode = dialog.getByRole('combobox', { name: 'Mode', exact: true })
    expect(await taskMode.locator('option:checked').innerText()).toBe('All tools')
    await taskMode.selectOption('No tools')
    await dialog.getByText('Answers only.').waitFor()
    await expectSound(opened)
  })

  it('is stopped, keeps what was said, and goes on after that', async () => {
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await say(page, ...SLOWLY)
    await answer(page).getByText('This is').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('Everything so far is kept').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect((await listSessions(conversationAt(page)))[0]?.status).toBe('cancelled')
    await say(page, 'demo: say And on')
    await answer(page).getByText('And on').waitFor()
    expect(await page.getByRole('article', { name: 'Answer' }).count()).toBe(2)
    await page.reload()
    await answer(page).getByText('And on').waitFor()
    expect(await log(page).innerText()).toMatch(/demo: slow[\s\S]*This is[\s\S]*And on/)
    expect(opened.faults).toEqual([])
  })

  const stopped = async (page: Page) => {
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alert').getByText('Everything so far is kept').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('')
    const again = api.client.cancelTurn({ params: { id: conversationAt(page) } })
    await expect(again).rejects.toMatchObject({ code: 'turn_state_conflict' })
  }

  it.each([
    ['that is answered as a whole', async () => undefined],
    [
      'that the page finds after a reload',
      async (page: Page) => {
        await page.reload()
        await page.getByText('No answer yet').waitFor()
      },
    ],
  ])('stops a turn %s', async (_which, prepare) => {
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await page.getByLabel('Mode', { exact: true }).selectOption('Read only')
    await say(page, ...SLOWLY)
    await page.getByText('Working. The answer appears when it is complete').waitFor()
    await until(async () => {
      const { messages } = await api.client.getConversation({ params: { id: conversationAt(page) } })
      return messages[0]
    })
    await prepare(page)
    await stopped(page)
    expect(opened.faults).toEqual([])
  })

  it('stops a turn that waits for approval, whose call is not made', async () => {
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await page.getByLabel('Mode', { exact: true }).selectOption('ask')
    await say(page, 'demo: tool write_file {"path":"d.txt","content":"four"}', 'demo: say Written')
    await page.getByRole('button', { name: 'Allow once: write_file' }).waitFor()
    await stopped(page)
    const waiting = (await api.client.listApprovals()).approvals.map(({ conversationId }) => conversationId)
    expect(waiting).not.toContain(conversationAt(page))
  })

  it('goes on where it was after a reload in the middle of an answer', async () => {
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await say(page, ...SLOWLY)
    await answer(page).getByText('This is').waitFor()
    await page.reload()
    await answer(page).getByText('Working').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    await answer(page).getByText('nine ten.').waitFor()
    await answer(page).getByText('tokens').waitFor()
    await page.getByRole('button', { name: 'Send' }).waitFor()
    expect((await answer(page).innerText()).match(/One two/g)).toHaveLength(1)
    expect(await listSessions(conversationAt(page))).toMatchObject([{ status: 'completed' }])
  })

  it('is not stopped when its view is left for another, while the page is open', async () => {
    const env = { AGENTIC_ORPHAN_MS: '300' }
    await using other = await openService(env)
    await connect(other.baseUrl).client.changePolicy({ body: { defaultMode: 'full' } })
    await using opened = await openPage(other.baseUrl, '/chat')
    const { page } = opened
    await say(page, ...SLOWLY)
    await answer(page).getByText('This is').waitFor()
    const conversationId = conversationAt(page)
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await page.getByRole('heading', { name: 'Tasks' }).waitFor()
    const { client } = connect(other.baseUrl)
    const [session] = (await client.listAgentSessions({ query: { conversationId } })).sessions
    const ended = await until(async () => {
      const { session: now } = await client.getAgentSession({ params: { id: session?.id ?? '' } })
      return now.status === 'running' ? undefined : now
    })
    expect(ended.status).toBe('completed')
  })

  it('connects anew when its stream is cut, and tells so meanwhile', async () => {
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await say(page, ...SLOWLY)
    await answer(page).getByText('This is').waitFor()
    const [session] = await listSessions(conversationAt(page))
    const half = { type: 'content', data: { step: 1, text: 'Half' }, timestamp: 1 }
    const body = `${await firstEvents(session?.id ?? '')}id: 0001-0000005\ndata: ${JSON.stringify(half)}\n\n`
    let cuts = 0
    await page.route('**/api/chat/sessions/*/events', async (route) => {
      cuts += 1
      // A stream that ends before its last event.
      return cuts > 2 ? route.continue() : route.fulfill({ contentType: 'text/event-stream', body })
    })
    await page.reload()
    await page.getByText('Connection lost, reconnecting').waitFor()
    await answer(page).getByText('nine ten.').waitFor()
    expect(cuts).toBe(3)
    expect(await answer(page).innerText()).not.toContain('Half')
    expect((await answer(page).innerText()).match(/This is/g)).toHaveLength(1)
  })

  it('asks first where it is told to: a call is allowed in place, another is denied', async () => {
    const content = 'demo: tool write_file {"path":"a.txt","content":"one"}'
    const body = { content, securityMode: 'ask' } as const
    await api.client.sendMessageWithTools({ params: { id: await converse() }, body })
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await page.getByLabel('Mode', { exact: true }).selectOption('ask')
    await say(page, 'demo: tool write_file {"path":"b.txt","content":"two"}', 'demo: say Written')
    const waiting = page.getByRole('list', { name: 'Waiting for your approval' })
    await waiting.getByText('write_file b.txt').waitFor()
    expect(await waiting.getByRole('listitem').count()).toBe(1)
    // The card is in the place of the call's row, and the list says that the conversation needs a decision.
    expect(await answer(page).getByText('write_file b.txt').count()).toBe(1)
    await page
      .getByRole('link', { name: /Needs approval/ })
      .first()
      .waitFor()
    expect(await waiting.innerText()).toMatch(/Writes[\s\S]*left[\s\S]*content\s+two/)
    expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0)
    await expectSound(opened)
    await page.getByRole('button', { name: 'Allow once: write_file' }).click()
    await answer(page).getByText('Written').waitFor()
    await waiting.waitFor({ state: 'detached' })

    await say(page, 'demo: tool write_file {"path":"c.txt","content":"three"}', 'demo: say Not so')
    await page.getByRole('button', { name: 'Deny: write_file' }).click()
    await answer(page).getByText('Not so').waitFor()
    await answer(page).getByText('write_file c.txt', { exact: true }).click()
    await answer(page)
      .getByRole('group', { name: 'Error' })
      .getByText(/denied/)
      .waitFor()

    // Calls of conversations wait for ten minutes.
    await page.route('**/api/chat/conversations/conv_*', async (route) => {
      const answer = await (await route.fetch()).text()
      const text = answer.replaceAll('a person denied this call', 'it was not decided in time')
      await route.fulfill({ contentType: 'application/json', body: text })
    })
    await page.reload()
    await answer(page).getByText('expired, not run').waitFor()
    expect(await answer(page).getByRole('img', { name: 'Failed' }).count()).toBe(0)
  })

  it('shows an answer that comes as a whole also after a reload', async () => {
    await using opened = await open(`/chat/${await converse()}`)
    const { page } = opened
    await page.getByLabel('Mode', { exact: true }).selectOption('Read only')
    await say(page, ...SLOWLY)
    await page.getByText('Working. The answer appears when it is complete').waitFor()
    await until(async () => {
      const { messages } = await api.client.getConversation({ params: { id: conversationAt(page) } })
      return messages[0]
    })
    await page.reload()
    await page.getByText('No answer yet').waitFor()
    await answer(page).getByText('nine ten.').waitFor()
    expect(await page.getByText('No answer yet').count()).toBe(0)
  })

  it.each(['no_provider', 'models_unavailable'])(
    'tells what to do about the refusal %s, and has the message there to be sent again',
    async (code) => {
      await using opened = await open(`/chat/${await converse()}`)
      const { page } = opened
      const body = { error: 'No model provider is configured', code }
      await page.route('**/messages/agentic', (route) => route.fulfill({ status: 503, json: body }))
      await say(page, 'Hello?')
      await page.getByRole('alert').getByText('Add a model key under').waitFor()
      expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Hello?')
      await page.unroute('**/messages/agentic')
      await page.getByRole('button', { name: 'Send' }).click()
      await answer(page).getByText('it called these tools').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
    },
  )

  it('tells why the model failed', async () => {
    await using opened = await open(`/chat/${await converse()}`)
    await say(opened.page, 'demo: cut')
    await opened.page.getByRole('alert').getByText('The model provider failed').waitFor()
    await opened.page.getByRole('button', { name: 'Send' }).waitFor()
    expect((await listSessions(conversationAt(opened.page)))[0]?.error?.code).toBe('PROVIDER_ERROR')
  })

  it('asks for older messages when a user scrolls up to them', async () => {
    const conversationId = await converse()
    for (const part of [0, 1]) {
      const messages = Array.from({ length: 49 }, (_, n) => ({
        role: 'user' as const,
        content: `Message ${part * 49 + n}`,
      }))
      await api.client.createCompletion({ body: { conversationId, messages } })
    }
    await using opened = await open(`/chat/${conversationId}`)
    const { page } = opened
    await page.getByText('Message 97', { exact: true }).waitFor()
    expect(await log(page).getByText('Message 0', { exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Older messages' }).scrollIntoViewIfNeeded()
    await log(page).getByText('Message 0', { exact: true }).waitFor({ state: 'attached' })
    // Distant messages are not rendered until they are scrolled to.
    expect(
      await log(page)
        .getByText(/^Message \d+$/)
        .count(),
    ).toBeLessThan(90)
    await log(page).evaluate((scroller) => scroller.scrollTo(0, -scroller.scrollHeight))
    await log(page).getByText('Message 0', { exact: true }).waitFor()
    await log(page).evaluate((scroller) => scroller.scrollTo(0, 0))
    await log(page).getByText('Message 97', { exact: true }).waitFor()
  })

  it('draws of 4,000 tool calls those that are near the view, and keeps one that was opened', async () => {
    const conversationId = await converse()
    const toolCalls = Array.from({ length: 4_000 }, (_, n) => ({
      id: `call_${n}`,
      name: 'read_file',
      arguments: { path: `file-${n}.txt` },
      step: n,
      status: 'success',
      result: 'Read',
      duration: 1,
    }))
    const message = {
      id: 'msg_1',
      conversationId,
      role: 'assistant',
      content: 'All were read.',
      toolCalls,
      createdAt: '2026-01-01T00:00:00.000Z',
    }
    await using opened = await open('/chat')
    const { page } = opened
    await page.route(`**/conversations/${conversationId}?*`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), messages: [message] } })
    })
    await page.goto(`/chat/${conversationId}`)
    await log(page).getByText('All were read.').waitFor()
    const last = log(page).getByText('read_file file-3999.txt', { exact: true })
    await last.waitFor()
    const scrollTo = (part: number) =>
      log(page).evaluate((one, to) => one.scrollTo(0, -one.scrollHeight * to), part)
    const elements = () => log(page).evaluate((one) => one.querySelectorAll('*').length)
    expect(await elements()).toBeLessThan(4_000)
    await last.click()
    await scrollTo(0.5)
    await log(page)
      .getByText(/file-(?:19|20)\d\d\.txt/)
      .first()
      .waitFor()
    await scrollTo(1)
    await log(page).getByText('read_file file-0.txt', { exact: true }).waitFor()
    expect(await elements()).toBeLessThan(6_000)
    expect(await log(page).locator('details[open]').count()).toBe(1)
    await expectSound(opened)
  })

  it('is found in the list, and deleted when it is told twice', async () => {
    const { conversation } = await api.client.createConversation({ body: { title: 'To be deleted' } })
    await using opened = await open('/tasks/overview')
    const { page } = opened
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('c')
    await page.getByRole('heading', { name: 'Chat' }).waitFor()
    await page.getByRole('link', { name: 'To be deleted' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.locator('[data-row-link]:focus', { hasText: 'To be deleted' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/chat/${conversation.id}`)
    await page.getByRole('button', { name: 'Delete this conversation' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.waitForURL('**/chat')
    await page.getByRole('link', { name: 'To be deleted' }).waitFor({ state: 'detached' })
    expect((await api.client.listConversations()).conversations.map(({ id }) => id)).not.toContain(
      conversation.id,
    )
  })

  it('has each of its runs at an address of its own', async () => {
    const id = await converse()
    const body = { content: 'demo: tool list_files {}\ndemo: say Listed', maxBudget: 1_000 }
    await (await api.client.sendAgentic.raw({ params: { id }, body })).text()
    await using opened = await open(`/chat/${id}`)
    const { page } = opened
    await page.getByText('Stopped at its token budget').waitFor()
    await page.getByText(/^[\d,]+ of 1,000 tokens$/).waitFor()
    await page.getByRole('button', { name: 'Runs' }).click()
    await page.getByRole('link', { name: /^Completed/ }).click()
    await page.waitForURL(/\/chat\/sessions\/sess_\w+$/)
    await page.getByRole('heading', { name: 'Run', exact: true, level: 1 }).waitFor()
    await page.getByText('list_files .', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Open conversation' }).click()
    await page.waitForURL(`**/chat/${id}`)
    expect(opened.faults).toEqual([])
  })
})

inBrowser('a task of the coding agent', () => {
  const body = {
    title: 'Write',
    prompt: 'demo: tool list_files {}\ndemo: tool write_file {"path":"c.txt","content":"x"}\ndemo: say Done',
    assignedAgent: 'coding-agent',
    metadata: { securityMode: 'ask' },
  }

  it('says which commands it ran, and how each ended', async () => {
    const lines = ['true', 'false'].map((command) => `demo: tool run_command {"command":"${command}"}\n`)
    const { id } = await api.create({
      ...body,
      prompt: `${lines.join('')}demo: say Done`,
      metadata: { securityMode: 'full' },
    })
    await using opened = await open(`/tasks/${id}`)
    const { page } = opened
    await page.getByText('1 of 2 commands failed').click()
    const commands = page.getByRole('group').filter({ hasText: '1 of 2 commands failed' }).first()
    await commands.getByRole('img', { name: 'Done' }).first().waitFor()
    await commands.getByText('run_command false', { exact: true }).click()
    await commands.getByText('Exit code 1.', { exact: true }).waitFor()
    await expectSound(opened)
  })

  it('shows its run live, waits for an approval in place, and leads to its session and back', async () => {
    const { id } = await api.create(body)
    await using opened = await open(`/tasks/${id}`)
    const { page } = opened
    const run = page.getByRole('region', { name: 'Run', exact: true })
    // The workspace is prepared first.
    await run.getByText('list_files .', { exact: true }).waitFor()
    await page.getByText('waiting for approval').first().waitFor()
    await run.getByRole('button', { name: 'Allow once: write_file' }).waitFor()
    // The call is shown before the task is stored as waiting.
    await until(async () => (await api.task(id)).waitingFor === 'approval' || undefined)
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await run.getByRole('button', { name: 'Allow once: write_file' }).click()
    await page.getByText('Completed', { exact: true }).first().waitFor()
    await run.getByText('Done', { exact: false }).first().waitFor()
    expect((await run.innerText()).match(/^Step \d/gm)).toEqual(['Step 1', 'Step 2', 'Step 3'])
    expect(await run.getByText('write_file c.txt', { exact: true }).count()).toBe(1)
    await run.getByText('approved', { exact: true }).waitFor()
    await page.keyboard.press('t')
    const trace = page.getByRole('figure', { name: 'Timeline' })
    const rows = async () =>
      (await trace.getByRole('listitem').allInnerTexts()).map((row) => row.split('\n')[0]).join(', ')
    // Session events and task events arrive independently.
    await until(async () => (await rows()).endsWith('Step 3: model, Collecting changes') || undefined)
    expect(await rows()).toMatch(
      /^In the queue, Attempt 1: needs approval, Preparing an empty workspace, Step 1: model, list_files \., Step 2: model, .*Waiting for approval, Attempt 1, .*Step 3: model, Collecting changes$/,
    )
    await page.getByRole('button', { name: 'list_files .', exact: true }).click()
    await page.getByRole('slider', { name: 'Position' }).waitFor()
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByRole('slider', { name: 'Position' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await trace.waitFor({ state: 'detached' })
    expect(await page.getByRole('list', { name: 'Events' }).count()).toBe(0)

    await run.getByRole('link', { name: 'Open the run' }).click()
    await page.waitForURL(/\/chat\/sessions\/sess_\w+$/)
    await page.getByRole('heading', { name: 'Run', exact: true, level: 1 }).waitFor()
    await page.getByText('write_file c.txt', { exact: true }).click()
    const call = page.locator('details', { hasText: 'write_file c.txt' }).last()
    await call.getByRole('link', { name: 'Audit' }).click()
    const entry = page.getByRole('dialog', { name: 'write_file' })
    await entry.getByText('Approved by a person').waitFor()
    await entry.getByRole('link', { name: /^sess_/ }).click()
    await page.waitForURL(/\/chat\/sessions\/sess_\w+$/)
    await page.getByRole('link', { name: 'Open task' }).click()
    await page.waitForURL(`**/tasks/${id}`)
    expect(opened.faults).toEqual([])
  })
})
