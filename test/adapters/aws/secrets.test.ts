import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SSMClient } from '@aws-sdk/client-ssm'
import { describe, expect, it } from '@jest/globals'
import { readSecrets } from '../../../lib/adapters/aws/secrets.ts'

const PAGES: Readonly<Record<string, object>> = {
  first: { Parameters: [{ Name: '/service/prod/ANTHROPIC_API_KEY', Value: 'one' }], NextToken: 'second' },
  second: { Parameters: [{ Name: '/service/prod/OPENAI_API_KEY', Value: 'two' }] },
}

/** What SSM would answer, by its JSON protocol. */
const startSsm = async () => {
  const asked: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const body = JSON.parse(text)
    asked.push({ ...body, target: request.headers['x-amz-target'] })
    response.setHeader('content-type', 'application/x-amz-json-1.1')
    response.end(JSON.stringify(PAGES[body.NextToken ?? 'first']))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stop = () => {
    server.close()
    server.closeAllConnections()
  }
  return { asked, endpoint, stop }
}

describe('secrets below a path of SSM', () => {
  it('are read decrypted, page by page, under the last part of their names', async () => {
    const ssm = await startSsm()
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' }
    const client = new SSMClient({ region: 'us-east-1', endpoint: ssm.endpoint, credentials })
    const secrets = await readSecrets(client, '/service/prod/')
    client.destroy()
    ssm.stop()
    expect(secrets).toEqual({ ANTHROPIC_API_KEY: 'one', OPENAI_API_KEY: 'two' })
    const call = { Path: '/service/prod/', WithDecryption: true, target: 'AmazonSSM.GetParametersByPath' }
    expect(ssm.asked).toEqual([call, { ...call, NextToken: 'second' }])
  })
})
