import type { IncomingMessage } from 'node:http'
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { createS3Archive } from '../../../lib/adapters/aws/s3-archive.ts'
import { s3Client, startBucket } from './bucket.ts'
import { type Fate, startProxy } from './proxy.ts'

/** What is asked of S3 for the documents of an archive. */
export type Verb = 'put' | 'begin' | 'part' | 'complete' | 'abort' | 'other'

const VERBS: Readonly<Record<string, Verb>> = { PUT: 'part', POST: 'complete', DELETE: 'abort' }

export const archiveVerb = ({ method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Verb => {
  const query = new URL(url, 'http://localhost').searchParams
  if (query.has('uploads')) return 'begin'
  if (query.has('uploadId')) return VERBS[method] ?? 'other'
  return method === 'PUT' ? 'put' : 'other'
}

/** An archive on an emulator, and what it asks of it: `calls`, with the bytes of each. `fail` says how one fails. */
export const openArchive = async () => {
  const { client: direct, bucket, endpoint, stop } = await startBucket()
  const calls: { verb: Verb; bytes: number }[] = []
  const fates: ((verb: Verb) => Fate | undefined)[] = []
  const proxy = await startProxy(endpoint, (incoming, body) => {
    const verb = archiveVerb(incoming)
    calls.push({ verb, bytes: body.length })
    return fates.map((fate) => fate(verb)).find(Boolean)
  })
  const client = s3Client(proxy.url)
  return {
    archive: createS3Archive({ client, bucket }),
    calls,
    verbs: () => calls.map(({ verb }) => verb),
    fail: (fate: (verb: Verb) => Fate | undefined) => void fates.push(fate),
    keys: async () =>
      (await direct.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents?.map(({ Key }) => Key) ?? [],
    read: async (Key: string) => {
      const { Body, ContentType } = await direct.send(new GetObjectCommand({ Bucket: bucket, Key }))
      return { text: await Body?.transformToString(), type: ContentType }
    },
    stop: async () => {
      client.destroy()
      proxy.stop()
      await stop()
    },
  }
}
