import { createSignal } from '../data/signal.ts'

export type Theme = 'system' | 'light' | 'dark'

const stored = (): Theme => {
  const value = localStorage.getItem('theme')
  return value === 'light' || value === 'dark' ? value : 'system'
}

/** What the person chose; what that comes to is the class `dark` on the root, which plots watch as well. */
export const theme = createSignal<Theme>(stored())
export const isDark = createSignal(document.documentElement.classList.contains('dark'))

const system = matchMedia('(prefers-color-scheme: dark)')

const apply = () => {
  const dark = theme.get() === 'dark' || (theme.get() === 'system' && system.matches)
  document.documentElement.classList.toggle('dark', dark)
  isDark.set(dark)
}

export const chooseTheme = (next: Theme) => {
  if (next === 'system') localStorage.removeItem('theme')
  else localStorage.setItem('theme', next)
  theme.set(next)
  apply()
}

system.addEventListener('change', apply)
