import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

/**
 * Runs a module while the page is built and puts what it exports into the bundle as plain data. So the page reads the
 * service's own tables, and what those are made with (zod) stays out of the browser.
 */
export const evaluateAtBuild = (file: string): Plugin => ({
  name: 'evaluate-at-build',
  enforce: 'pre',
  async load(id) {
    if (id.split('?')[0] !== file) return undefined
    const exported: Record<string, unknown> = await import(pathToFileURL(file).href)
    return Object.entries(exported)
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
      .join('\n')
  },
})
