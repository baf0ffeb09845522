import { fileURLToPath } from 'node:url'
import { places } from '../../lib/api/places.ts'
import { servePage } from '../../lib/app/cloud-page.ts'

/** Serves the page, and answers 404 or 405 to paths that no function routes. */
export const handler = servePage(fileURLToPath(new URL('dist/', import.meta.url)), places)
