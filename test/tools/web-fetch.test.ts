import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { createWebFetch, htmlText } from '../../lib/tools/builtin/web-fetch.ts'
import { turns as eventLoop } from '../fakes/service.ts'

type Page = (request: IncomingMessage, response: ServerResponse) => void

const html =
  (body: string): Page =>
  (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
  }
const to =
  (location: string, status = 302): Page =>
  (_request, response) =>
    void response.writeHead(status, { location }).end()

const PAGES: Readonly<Record<string, Page>> = {
  '/page': html(
    '<html><head><title>The title</title><style>p { color: red }</style><script>steal()</script></head><body><h1>Head</h1><p>One &amp; <a href="https://example.org/x">two</a></p><ul><li>a</li><li>b</li></ul><pre>x\n  y</pre></body></html>',
  ),
  '/once': to('/page'),
  '/inside': to('http://10.0.0.1/secret'),
  '/file': to('file:///etc/passwd'),
  '/round': to('/round', 307),
  '/picture': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'image/png' }).end('png'),
  '/nothing-said': (_request, response) => void response.writeHead(200).end('text?'),
  '/missing': (_request, response) =>
    void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not here'),
  '/never': (_request, response) => void unanswered.push(response),
  '/long': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(3_000_000)),
}

let base = ''
/** Requests to what never answers. */
const unanswered: ServerResponse[] = []
const server = createServer((request, response) =>
  (PAGES[request.url ?? ''] ?? PAGES['/missing'])?.(request, response),
)
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const clock = createClock()
const fetcher = (allow = ['127.0.0.1'], signal = new AbortController().signal) => {
  const tool = createWebFetch({ outbound: createOutbound({ clock, allow }), clock })
  const context = { workspace: {} as never, userId: 'u', mode: 'full' as const, signal }
  return async (url: string) =>
    tool.run({ url }, context).catch(({ code }: { code: string }) => ({ content: code, failed: true }))
}

describe('web_fetch', () => {
  it('reads a page as text, without its scripts and styles', async () => {
    expect(await fetcher()(`${base}/page`)).toEqual({
      content: `[200 ${base}/page]\nThe title\n\nHead\n\nOne & two (https://example.org/x)\n\n- a\n- b\n\nx\n  y`,
      failed: false,
    })
  })

  it('follows redirects, and tells where they led', async () => {
    expect((await fetcher()(`${base}/once`)).content).toContain(`[200 ${base}/page]`)
  })

  it.each([
    ['/inside', 'url_refused'],
    ['/file', 'url_refused'],
    ['/round', 'too_many_redirects'],
    ['/picture', 'not_text'],
    ['/nothing-said', 'not_text'],
  ])('refuses %s: %s', async (path, code) => {
    expect(await fetcher()(base + path)).toEqual({ content: code, failed: true })
  })

  it('says which address of a redirect it refuses', async () => {
    const tool = createWebFetch({ outbound: createOutbound({ clock, allow: ['127.0.0.1'] }), clock })
    const context = { workspace: {} as never, userId: 'u', mode: 'full' as const }
    const read = tool.run({ url: `${base}/inside` }, { ...context, signal: new AbortController().signal })
    await expect(read).rejects.toThrow(/^http:\/\/10\.0\.0\.1\/secret leads to an address that is not public/)
  })

  it.each([
    'http://127.0.0.1:9/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://0x7f.1/',
  ])('does not reach %s', async (url) => {
    expect(await fetcher([])(url)).toEqual({ content: 'url_refused', failed: true })
  })

  it('fails with what an error page says', async () => {
    expect(await fetcher()(`${base}/missing`)).toEqual({
      content: `[404 ${base}/missing]\nNot here`,
      failed: true,
    })
  })

  it('gives its request up once it is aborted', async () => {
    const stop = new AbortController()
    const fetched = fetcher(undefined, stop.signal)(`${base}/never`)
    while (unanswered.length === 0) await eventLoop()
    const closed = once(unanswered[0] as ServerResponse, 'close')
    stop.abort({ code: 'cancelled' })
    expect(await fetched).toEqual({ content: 'cancelled', failed: true })
    await closed
  })

  it('tells 50,000 characters at most, and that there is more', async () => {
    const { content } = await fetcher()(`${base}/long`)
    expect(content.length).toBeLessThan(50_200)
    expect(content).toMatch(/x\n\[cut: the page goes on\]$/)
  })
})

describe('the text of a page', () => {
  it('ends where the page is nested deeper than any that people write', async () => {
    const { text, cut } = await htmlText(`<p>before</p>${'<b>'.repeat(200_000)}after`, 50_000)
    expect([text, cut]).toEqual(['before', true])
  })

  it.each([
    ['<script>a</script>b<noscript>c</noscript>', 'b'],
    ['<p>unclosed <b>bold', 'unclosed bold'],
    ['a&nbsp;&lt;b&gt;', 'a <b>'],
    ['<script>never ends', ''],
    ['<a href="javascript:alert(1)">link</a>', 'link'],
    ['', ''],
  ])('of %j is %j', async (given, text) => {
    expect(await htmlText(given, 1_000)).toEqual({ text, cut: false })
  })
})
