import { createSignal } from '../data/signal.ts'

export type Theme = 'system' | 'light' | 'dark'

const NAME = 'theme'

/** Reading disabled storage throws. */
const stored = (): Theme => {
  try {
    const value = localStorage.getItem(NAME)
    return value === 'light' || value === 'dark' ? value : 'system'
  } catch {
    return 'system'
  }
}

const store = (next: Theme) => {
  try {
    if (next === 'system') localStorage.removeItem(NAME)
    else localStorage.setItem(NAME, next)
  } catch {
    // Storage is disabled or full: the choice lasts as long as the page.
  }
}

/** The chosen theme. The class `dark` on the root holds the result, which plots watch as well. */
export const theme = createSignal<Theme>(stored())
export const isDark = createSignal(document.documentElement.classList.contains('dark'))

const system = matchMedia('(prefers-color-scheme: dark)')

const apply = () => {
  const dark = theme.get() === 'dark' || (theme.get() === 'system' && system.matches)
  document.documentElement.classList.toggle('dark', dark)
  isDark.set(dark)
}

export const chooseTheme = (next: Theme) => {
  store(next)
  theme.set(next)
  apply()
}

system.addEventListener('change', apply)
