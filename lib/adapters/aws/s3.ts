import {
  BucketAlreadyOwnedByYou,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import {
  checkBlobKey,
  checkBlobList,
  checkBlobPrefix,
  decodeBlob,
  encodeBlob,
  isBlobKey,
  reachFiles,
} from '../../core/blob.ts'
import type { BlobPage, Blobs } from '../../ports/blobs.ts'
import { throwUnavailable } from './failure.ts'

type Needs = {
  /** Its settings define retries, time limits and checksums. */
  client: S3Client
  /** A general purpose bucket; directory buckets list in no order. */
  bucket: string
  /** The prefix of every key, such as `files/`; empty by default. */
  prefix?: string
}

/** Texts as objects of an S3 bucket. Without the right to list, S3 answers 403 for an object that is not there. */
export const createS3Blobs = ({ client, bucket, prefix: before = '' }: Needs): Blobs => {
  checkBlobPrefix(before)
  const object = (key: string) => ({ Bucket: bucket, Key: before + checkBlobKey(key) })
  return {
    async put(key, text) {
      const content = { Body: encodeBlob(text), ContentType: 'text/plain; charset=utf-8' }
      await client.send(new PutObjectCommand({ ...object(key), ...content })).catch(throwFilesUnavailable)
    },
    async get(key) {
      const answer = await getObject(client, object(key))
      // The request was answered: a failed download or checksum is a separate failure.
      const bytes = await reachFiles(async () => answer?.Body?.transformToByteArray())
      return bytes && decodeBlob(bytes)
    },
    async remove(key) {
      await client.send(new DeleteObjectCommand(object(key))).catch(throwFilesUnavailable)
    },
    async list(prefix, page) {
      checkBlobList(prefix, page)
      return list(client, { bucket, before, prefix, ...page }).catch(throwFilesUnavailable)
    },
  }
}

export const throwFilesUnavailable = throwUnavailable('files_unavailable', 'File storage')

/** The answer for an object; undefined for a missing one. `NoSuchBucket` is a 404 too, and an error. */
export const getObject = (client: S3Client, place: { Bucket: string; Key: string }) =>
  client
    .send(new GetObjectCommand(place))
    .catch((thrown): undefined => {
      if (!(thrown instanceof NoSuchKey)) throw thrown
    })
    .catch(throwFilesUnavailable)

type Listing = { bucket: string; before: string; prefix: string; limit: number; after?: string }

// S3 may return fewer keys than requested even if more follow, and other writers may have stored invalid names.
const list = async (
  client: S3Client,
  { bucket, before, prefix, limit, after }: Listing,
): Promise<BlobPage> => {
  const keys: string[] = []
  const StartAfter = after === undefined ? undefined : before + after
  const place = { Bucket: bucket, Prefix: before + prefix, StartAfter }
  let ContinuationToken: string | undefined
  do {
    const command = new ListObjectsV2Command({ ...place, MaxKeys: limit - keys.length, ContinuationToken })
    const { Contents = [], NextContinuationToken } = await client.send(command)
    keys.push(...Contents.map(({ Key = '' }) => Key.slice(before.length)).filter(isBlobKey))
    ContinuationToken = NextContinuationToken
  } while (ContinuationToken !== undefined && keys.length < limit)
  const last = keys.at(-1)
  return ContinuationToken !== undefined && last !== undefined ? { keys, next: last } : { keys }
}

/** Creates a bucket in an emulator; deployed buckets come from `resources/`. An existing one is no error. */
export const createBucket = async (client: S3Client, name: string): Promise<void> => {
  await client.send(new CreateBucketCommand({ Bucket: name })).catch((thrown: unknown) => {
    if (!(thrown instanceof BucketAlreadyOwnedByYou)) throwFilesUnavailable(thrown)
  })
}
