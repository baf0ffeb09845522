import { serveNotices } from '../lib/app/cloud-jobs.ts'

/** Handles the notices of a batch: notifications, deliveries to webhooks and callers, and slices of bulk jobs. */
export const handler = serveNotices()
