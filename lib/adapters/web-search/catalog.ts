import type { WebSearchProviders } from '../../ports/web-search.ts'
import type { AskNeeds } from './ask.ts'
import { createBrave } from './brave.ts'
import { createSearxng } from './searxng.ts'
import { createSerper } from './serper.ts'
import { createTavily } from './tavily.ts'

/** Every provider of web search, in the order for people. */
export const createWebSearchProviders = (needs: AskNeeds): WebSearchProviders => ({
  brave: createBrave(needs),
  tavily: createTavily(needs),
  serper: createSerper(needs),
  searxng: createSearxng(needs),
})
