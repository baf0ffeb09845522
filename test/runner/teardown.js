import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'

// A service that ends with its worker may still write.
export default () => rmSync(tmpdir(), { recursive: true, force: true, maxRetries: 5 })
