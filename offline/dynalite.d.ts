declare module 'dynalite' {
  import type { Server } from 'node:http'
  // biome-ignore lint/style/noDefaultExport: it is what the package has.
  export default function dynalite(options?: { createTableMs?: number; deleteTableMs?: number }): Server
}
