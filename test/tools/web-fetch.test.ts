import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { createWebFetch, htmlText } from '../../lib/tools/builtin/web-fetch.ts'
import { until } from '../fakes/until.ts'

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

const compressors = {
  gzip: (data: string | Buffer) => gzipSync(data, { level: 1 }),
  'x-gzip': (data: string | Buffer) => gzipSync(data, { level: 1 }),
  deflate: (data: string | Buffer) => deflateSync(data, { level: 1 }),
  br: (data: string | Buffer) =>
    brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  zstd: zstdCompressSync,
} as const

/** Answers that their first request names: a body, its type, and its content coding. */
const served = new Map<string, { body: Uint8Array; type?: string; coding?: string }>()
const serveAs = (body: Uint8Array | string, type?: string, coding?: string): string => {
  const path = `/served/${served.size}`
  served.set(path, { body: Buffer.from(body), ...(type && { type }), ...(coding && { coding }) })
  return `${base}${path}`
}

let base = ''
/** Requests to what never answers. */
const unanswered: ServerResponse[] = []
const server = createServer((request, response) => {
  const answer = served.get(request.url ?? '')
  if (answer === undefined) return (PAGES[request.url ?? ''] ?? PAGES['/missing'])?.(request, response)
  const { body, type, coding } = answer
  response.writeHead(200, {
    ...(type && { 'content-type': type }),
    ...(coding && { 'content-encoding': coding }),
  })
  response.end(body)
})
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
    await expect(read).rejects.toThrow(/^http:\/\/10\.0\.0\.1\/secret is not a public address/)
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
    await until(() => unanswered.length > 0)
    const closed = once(unanswered[0] as ServerResponse, 'close')
    stop.abort({ code: 'cancelled' })
    expect(await fetched).toEqual({ content: 'cancelled', failed: true })
    await closed
  })

  it.each([
    ['all of a page of half a MiB', 524_288, /\nThe text$/],
    ['1 MiB of a longer page', 1_048_576, /\n\[cut: the page goes on\]$/],
  ])('reads %s', async (_what, bytesBefore, end) => {
    const page = `<style>${' '.repeat(bytesBefore)}</style>The text`
    expect((await fetcher()(serveAs(page, 'text/html'))).content).toMatch(end)
  })

  it('tells 50,000 characters at most, and that there is more', async () => {
    const { content } = await fetcher()(`${base}/long`)
    expect(content.length).toBeLessThan(50_200)
    expect(content).toMatch(/x\n\[cut: the page goes on\]$/)
  })
})

/** The text of an answer, after its address. */
const textAt = async (url: string) => (await fetcher()(url)).content.split('\n').slice(1).join('\n')

describe('a compressed answer', () => {
  it.each(Object.keys(compressors) as (keyof typeof compressors)[])('is decoded: %s', async (coding) => {
    expect(await textAt(serveAs(compressors[coding]('häuser'), 'text/plain', coding))).toBe('häuser')
    const upper = serveAs(compressors[coding]('häuser'), 'text/plain', `identity, ${coding.toUpperCase()}`)
    expect(await textAt(upper)).toBe('häuser')
  })

  it.each([
    ['raw deflate', deflateRawSync('text'), 'deflate', 'text'],
    ['two codings', brotliCompressSync(gzipSync('text')), 'gzip, br', 'text'],
    ['an end that is missing', gzipSync('text'.repeat(9)).subarray(0, -6), 'gzip', 'text'.repeat(9)],
    ['an empty body', Buffer.alloc(0), 'gzip', '[the answer is empty]'],
    ['an empty text', gzipSync(''), 'gzip', '[the answer is empty]'],
  ])('is decoded: %s', async (_title, body, coding, text) => {
    expect(await textAt(serveAs(body, 'text/plain', coding))).toBe(text)
  })

  it.each([
    ['an unknown coding', Buffer.from('text'), 'compress'],
    ['too many codings', Buffer.from('text'), 'gzip, gzip, gzip'],
    ...Object.keys(compressors).map(
      (coding) => [`what is no ${coding}`, Buffer.from('text'), coding] as const,
    ),
    ['a name of an object', Buffer.from('text'), 'constructor'],
    ['broken gzip', Buffer.concat([gzipSync('text').subarray(0, 10), Buffer.alloc(40, 0xff)]), 'gzip'],
  ])('is refused: %s', async (_title, body, coding) => {
    expect(await fetcher()(serveAs(body, 'text/plain', coding))).toEqual({
      content: 'not_text',
      failed: true,
    })
  })

  let large: Buffer | undefined
  beforeAll(() => {
    large = Buffer.alloc(200_000_000, 'x')
  })
  afterAll(() => {
    large = undefined
  })
  it.each(Object.keys(compressors) as (keyof typeof compressors)[])(
    'is decoded up to the limit, however much more it becomes: %s',
    async (coding) => {
      const bomb = compressors[coding](large ?? '')
      expect(bomb.length).toBeLessThan(1_000_000)
      const before = process.memoryUsage().rss
      const { bytes, truncated } = await createOutbound({ clock, allow: ['127.0.0.1'] }).send({
        method: 'GET',
        url: serveAs(bomb, 'text/plain', coding),
        mostBytes: 1_000_000,
      })
      expect([bytes.length, truncated]).toEqual([1_000_000, true])
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000)
    },
  )
})

describe('the encoding of an answer', () => {
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  const page = (head: string) => bytes(`<html><head>${head}</head><body>caf\xe9 \x80</body></html>`)
  const META = '<meta charset="windows-1252">'
  const EQUIV = '<META content="text/html; charset=windows-1252" http-equiv=Content-Type>'
  it.each<[string, Uint8Array, string, string]>([
    ['the header', bytes('caf\xe9'), 'text/plain; charset=ISO-8859-1', 'café'],
    ['the header, quoted', bytes('caf\xe9'), 'text/plain; a=b; Charset="latin1"', 'café'],
    [
      'the header, of two bytes a character',
      Buffer.from('82b182f1', 'hex'),
      'text/plain;charset=Shift_JIS',
      'こん',
    ],
    ['the header before meta', bytes('<meta charset=utf-8>caf\xe9'), 'text/html; charset=latin1', 'café'],
    ['meta', page(META), 'text/html', 'café €'],
    ['meta by its content', page(EQUIV), 'text/html', 'café €'],
    ['meta where the header is unknown', page(META), 'text/html; charset=none', 'café €'],
    ['meta, not one in a comment', page(`<!-- <meta charset=utf-8> -->${META}`), 'text/html', 'café €'],
    [
      'meta, not a description',
      page(`<meta name=x content="; charset=utf-8">${META}`),
      'text/html',
      'café €',
    ],
    ['XML', bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a>caf\xe9</a>'), 'application/xml', 'café'],
    ['a byte order mark', Buffer.from('\uFEFFcafé', 'utf16le'), 'text/plain; charset=latin1', 'café'],
    ['none, which is UTF-8', Buffer.from('café'), 'text/html', 'café'],
    ['UTF-8 where the header is unknown', Buffer.from('café'), 'text/plain; charset=utf8mb4', 'café'],
  ])('is named by %s', async (_by, body, type, text) => {
    expect(await textAt(serveAs(body, type))).toContain(text)
  })

  it.each([
    ['nothing is named', page(''), 'text/html'],
    ['nothing known is named', page('<meta charset=none>'), 'text/html; charset=utf-7'],
    ['it is JSON', bytes('"caf\xe9"'), 'application/json'],
  ])('is not guessed where %s', async (_title, body, type) => {
    expect(await fetcher()(serveAs(body, type))).toEqual({ content: 'not_text', failed: true })
  })

  it('may end in the middle of a character at the limit', async () => {
    expect(await textAt(serveAs(`x${'é'.repeat(600_000)}`, 'text/plain'))).toMatch(/^xé+\n\[cut/)
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
