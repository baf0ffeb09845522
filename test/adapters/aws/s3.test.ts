import { createServer, type RequestListener } from 'node:http'
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { createBucket, createS3Blobs } from '../../../lib/adapters/aws/s3.ts'
import { onLoopback } from '../../../offline/loopback.ts'
import { s3Client, startBucket } from './bucket.ts'

const unavailable = { name: 'Problem', kind: 'unavailable', code: 'files_unavailable' }

describe('blobs in S3', () => {
  let opened: Awaited<ReturnType<typeof startBucket>>
  let client: S3Client
  beforeEach(async () => {
    opened = await startBucket()
    client = opened.client
  })
  afterEach(() => opened.stop())

  it('see only what stands under their own prefix', async () => {
    const [one, two] = ['one/', 'two/'].map((prefix) => createS3Blobs({ client, bucket: 'files', prefix }))
    await one?.put('a', 'of one')
    await two?.put('b', 'of two')
    expect(await one?.list('', { limit: 9 })).toEqual({ keys: ['a'] })
    expect(await one?.get('b')).toBeUndefined()
    expect(await createS3Blobs({ client, bucket: 'files' }).get('two/b')).toBe('of two')
  })

  it('lie beside objects that are not theirs, which no list shows', async () => {
    const blobs = createS3Blobs({ client, bucket: 'files' })
    for (const Key of ['a b', 'a//b'])
      await client.send(new PutObjectCommand({ Bucket: 'files', Key, Body: 'x' }))
    await blobs.put('c', 'text')
    expect(await blobs.list('', { limit: 1 })).toEqual({ keys: ['c'] })
  })

  it('are refused when they are not what was put', async () => {
    const wrong = { Bucket: 'files', Key: 'a', Body: 'text', ChecksumCRC32: 'AAAAAA==' }
    await client.send(new PutObjectCommand(wrong))
    await expect(createS3Blobs({ client, bucket: 'files' }).get('a')).rejects.toMatchObject(unavailable)
  })

  it('are unavailable, not absent, without their bucket', async () => {
    const blobs = createS3Blobs({ client, bucket: 'elsewhere' })
    const refused = { ...unavailable, cause: { name: 'NoSuchBucket' } }
    await expect(blobs.get('a')).rejects.toMatchObject(refused)
    await expect(blobs.put('a', 'text')).rejects.toMatchObject(unavailable)
    await expect(blobs.list('', { limit: 1 })).rejects.toMatchObject(unavailable)
  })

  it('have a bucket that may be made again', async () => {
    await createS3Blobs({ client, bucket: 'files' }).put('a', 'kept')
    await createBucket(client, 'files')
    expect(await createS3Blobs({ client, bucket: 'files' }).get('a')).toBe('kept')
  })

  it('take no prefix that no key can begin with', () => {
    expect(() => createS3Blobs({ client, bucket: 'files', prefix: '../' })).toThrow(TypeError)
  })
})

/** Runs the test against a service that answers as it is told. */
const against = async (listener: RequestListener, test: (client: S3Client) => Promise<void>) => {
  const { url, stop } = await onLoopback(createServer(listener))
  const client = s3Client(url)
  try {
    await test(client)
  } finally {
    client.destroy()
    await stop()
  }
}

const xml = (body: string) => `<?xml version="1.0" encoding="UTF-8"?>${body}`

describe('an S3 that misbehaves', () => {
  it.each([
    [403, 'AccessDenied'],
    [503, 'SlowDown'],
  ])('and answers %i %s makes blobs unavailable', async (status, code) => {
    const refuse: RequestListener = (request, response) =>
      request
        .resume()
        .on('end', () => response.writeHead(status).end(xml(`<Error><Code>${code}</Code></Error>`)))
    await against(refuse, async (client) => {
      const blobs = createS3Blobs({ client, bucket: 'files' })
      const refused = { ...unavailable, cause: { name: code } }
      await expect(blobs.get('a')).rejects.toMatchObject(refused)
      await expect(blobs.put('a', 'text')).rejects.toMatchObject(refused)
      await expect(blobs.remove('a')).rejects.toMatchObject(refused)
    })
  })

  it.each([
    ['BucketAlreadyOwnedByYou', undefined],
    ['BucketAlreadyExists', unavailable],
  ])('and answers %s to the making of a bucket is heard: %j', async (code, refused) => {
    const refuse: RequestListener = (request, response) =>
      request
        .resume()
        .on('end', () => response.writeHead(409).end(xml(`<Error><Code>${code}</Code></Error>`)))
    await against(refuse, async (client) => {
      const made = await createBucket(client, 'files').catch((thrown: unknown) => thrown)
      if (refused) expect(made).toMatchObject(refused)
      else expect(made).toBeUndefined()
    })
  })

  it('and ends in the middle of a text makes it unavailable, never shorter', async () => {
    const cut: RequestListener = (_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half')
      setImmediate(() => response.destroy())
    }
    await against(cut, async (client) => {
      await expect(createS3Blobs({ client, bucket: 'files' }).get('a')).rejects.toMatchObject(unavailable)
    })
  })

  it('and answers short pages still fills the page that was asked for', async () => {
    // Three pages: one key, none, two keys. The second token leads past the empty one.
    const pages = [['a'], [], ['b', 'c']]
    const asked: (string | null)[][] = []
    const list: RequestListener = ({ url }, response) => {
      const query = new URL(url ?? '', 'http://localhost').searchParams
      asked.push(['max-keys', 'start-after', 'continuation-token'].map((name) => query.get(name)))
      const at = Number(query.get('continuation-token') ?? 0)
      const contents = pages[at]?.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
      const next = at < 2 ? `<NextContinuationToken>${at + 1}</NextContinuationToken>` : ''
      response.end(xml(`<ListBucketResult>${contents}${next}</ListBucketResult>`))
    }
    await against(list, async (client) => {
      const blobs = createS3Blobs({ client, bucket: 'files' })
      expect(await blobs.list('', { limit: 3, after: '0' })).toEqual({ keys: ['a', 'b', 'c'] })
      expect(asked).toEqual([
        ['3', '0', null],
        ['2', '0', '1'],
        ['2', '0', '2'],
      ])
    })
  })
})
