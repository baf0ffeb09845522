import { fileURLToPath } from 'node:url'
import { places } from '../../lib/api/places.ts'
import { servePage } from '../../lib/app/cloud-page.ts'

/** The page; also where requests go that no function has a route for, to be answered 404 or 405. */
export const handler = servePage(fileURLToPath(new URL('dist/', import.meta.url)), places)
