import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { onLoopback } from '../../../offline/loopback.ts'

type Ask = Readonly<Record<string, unknown>> & { action: string }

/** What SSM would answer, by its JSON protocol: the pages in their order, each under the token that leads to it. */
export const startSsm = async (pages: readonly (readonly object[])[]) => {
  const asked: Ask[] = []
  const server = createServer(async (request, response) => {
    const body = (await json(request)) as Record<string, unknown>
    const [, action = ''] = String(request.headers['x-amz-target']).split('.')
    asked.push({ ...body, action })
    const at = Number(body.NextToken ?? 0)
    const more = at + 1 < pages.length ? { NextToken: String(at + 1) } : {}
    response.setHeader('content-type', 'application/x-amz-json-1.1')
    response.end(JSON.stringify({ Parameters: pages[at] ?? [], ...more }))
  })
  const { url, stop } = await onLoopback(server)
  return { asked, endpoint: url, stop }
}
