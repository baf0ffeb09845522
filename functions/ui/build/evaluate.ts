import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

/**
 * Evaluates a module at build time and bundles its exports as data: the page reads the service's own tables without their dependencies
 * (zod).
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
