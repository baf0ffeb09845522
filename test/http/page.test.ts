import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createPageFiles } from '../../lib/adapters/node/page-files.ts'
import type { HttpEvent, HttpResult } from '../../lib/http/event.ts'
import { createPage } from '../../lib/http/page.ts'
import { httpEvent } from '../fakes/http-event.ts'
import { temporaryFolder } from '../journeys/service.ts'

const folder = temporaryFolder()
const INDEX = '<!doctype html>index'
const SCRIPT = 'console.error(1)'
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** What the page leaves to others. */
const otherwise = async (): Promise<HttpResult> => ({ statusCode: 404, headers: {}, body: 'otherwise' })
const pageIn = (name: string) => createPage({ files: createPageFiles(folder.in(name)), otherwise })
const ask = (request: string, headers: Record<string, string> = {}, page = pageIn('dist')) =>
  page(httpEvent(request, undefined, headers) as HttpEvent, {})
const bodyText = ({ body }: HttpResult) => (body instanceof Uint8Array ? Buffer.from(body).toString() : body)

beforeAll(() => {
  mkdirSync(folder.in('dist/assets'), { recursive: true })
  mkdirSync(folder.in('shipped'))
  writeFileSync(folder.in('secret.txt'), 'secret')
  writeFileSync(folder.in('dist/index.html'), INDEX)
  writeFileSync(folder.in('dist/theme.js'), SCRIPT)
  writeFileSync(folder.in('dist/assets/main-1a2b.js'), SCRIPT)
  writeFileSync(folder.in('dist/assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(folder.in('dist/assets/main-1a2b.js.gz'), gzipSync(SCRIPT))
  writeFileSync(folder.in('shipped/index.html.br'), brotliCompressSync(INDEX))
})
afterAll(() => folder[Symbol.dispose]())

describe('the page', () => {
  it.each(['/', '/tasks', '/tasks/task_1', '/no/such/view', '/tasks/'])(
    'answers a browser that opens %s with its first file',
    async (path) => {
      const answer = await ask(`GET ${path}`, HTML)
      expect([answer.statusCode, bodyText(answer)]).toEqual([200, INDEX])
      expect(answer.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
      })
    },
  )

  it('answers its address itself to all callers', async () => {
    expect(bodyText(await ask('GET /'))).toBe(INDEX)
  })

  it('is that of the last build, without a new start', async () => {
    const build = (index: string, asset: string) => {
      rmSync(folder.in('built'), { recursive: true, force: true })
      mkdirSync(folder.in('built/assets'), { recursive: true })
      writeFileSync(folder.in('built/index.html'), index)
      writeFileSync(folder.in(`built/assets/${asset}`), SCRIPT)
    }
    const page = pageIn('built')
    const get = (path: string) => ask(`GET ${path}`, HTML, page)
    build('first', 'main-1.js')
    expect(bodyText(await get('/'))).toBe('first')
    build('second', 'main-2.js')
    utimesSync(folder.in('built/index.html'), 1, 1)
    // Listed by the first build, and never read.
    expect((await get('/assets/main-1.js')).statusCode).toBe(404)
    expect([bodyText(await get('/')), (await get('/assets/main-2.js')).statusCode]).toEqual(['second', 200])
  })

  it('has a policy that lets nothing run that is not a file of its own', async () => {
    const { headers } = await ask('GET /', HTML)
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    const script = await ask('GET /assets/main-1a2b.js')
    expect(script.headers['content-security-policy']).toBe("default-src 'self'")
  })

  it.each([
    ['GET /api/nope', HTML],
    ['GET /api', HTML],
    ['GET /assets/gone-9z.js', HTML],
    ['GET /assets/', HTML],
    ['GET /nope', { accept: 'application/json' }],
    ['GET /nope', { accept: 'text/html;q=0' }],
    ['POST /', HTML],
    ['DELETE /theme.js', HTML],
    ['GET /assets/main-1a2b.js.br', {}],
  ])('leaves %s %j to others', async (request, headers) => {
    expect((await ask(request, headers as Record<string, string>)).body).toBe('otherwise')
  })

  it.each([
    ...['/../secret.txt', '/assets/../../secret.txt', '/%2e%2e/secret.txt', '/..%2fsecret.txt'],
    ...['/assets\\..\\..\\secret.txt', '/secret.txt%00.js', '/./../secret.txt'],
  ])('gives %s nothing from outside of its folder', async (path) => {
    expect((await ask(`GET ${path}`)).body).toBe('otherwise')
  })

  it('lets hashed files be kept for good, and asks for the others each time', async () => {
    expect((await ask('GET /assets/main-1a2b.js')).headers['cache-control']).toBe(
      'public, max-age=31536000, immutable',
    )
    expect((await ask('GET /theme.js')).headers['cache-control']).toBe('no-cache')
  })

  it.each([
    ['br, gzip', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['*', 'br', brotliDecompressSync],
    ['br;q=0, gzip', 'gzip', gunzipSync],
    ['identity', undefined, (bytes: Uint8Array) => Buffer.from(bytes)],
    ['br;q=0', undefined, (bytes: Uint8Array) => Buffer.from(bytes)],
  ])('sends a file to who accepts %j in %s', async (accepted, encoding, open) => {
    const { headers, body } = await ask('GET /assets/main-1a2b.js', { 'accept-encoding': accepted })
    expect(headers['content-encoding']).toBe(encoding)
    expect(headers.vary).toBe('Accept, Accept-Encoding')
    expect(open(body as Uint8Array).toString()).toBe(SCRIPT)
  })

  it('opens what was shipped compressed only, for callers that accept no compression', async () => {
    const answer = await ask('GET /', HTML, pageIn('shipped'))
    expect([bodyText(answer), answer.headers['content-encoding']]).toEqual([INDEX, undefined])
  })

  it('says that a file has not changed, to who has it', async () => {
    const { headers } = await ask('GET /theme.js')
    const given = { 'if-none-match': `"other", W/${headers.etag}` }
    const again = await ask('GET /theme.js', given)
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', headers.etag])
    expect((await ask('GET /theme.js', { 'if-none-match': '"other"' })).statusCode).toBe(200)
  })

  it('that was not built says what to run', async () => {
    const answer = await ask('GET /tasks', HTML, pageIn('nothing'))
    expect([answer.statusCode, answer.body]).toEqual([503, 'The page is not built here. Run: npm run page\n'])
    expect((await ask('GET /api/nope', HTML, pageIn('nothing'))).body).toBe('otherwise')
  })

  it('is there as soon as it is built', async () => {
    const page = pageIn('later')
    expect((await ask('GET /', HTML, page)).statusCode).toBe(503)
    mkdirSync(folder.in('later'))
    writeFileSync(folder.in('later/index.html'), INDEX)
    expect((await ask('GET /', HTML, page)).statusCode).toBe(200)
  })
})
