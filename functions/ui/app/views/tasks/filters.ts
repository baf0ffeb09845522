import { useNavigate, useSearch } from '@tanstack/react-router'
import { daysAsMoments } from '../../components/days.ts'
import { zoneNow } from '../../data/locale.ts'
import type { Filters } from '../../data/tasks.ts'

/**
 * The filters in the address; an empty value removes one. `asked` is what the service gets: days of the address are days in the user's time
 * zone.
 */
export const useFilters = () => {
  const filters: Filters = useSearch({ from: '/tasks' })
  const navigate = useNavigate({ from: '/tasks' })
  const change = (changed: Filters) =>
    void navigate({
      search: (before: Filters) =>
        Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value !== '')),
      replace: true,
    })
  const clear = () => void navigate({ search: {} })
  return { filters, asked: daysAsMoments(filters, zoneNow()), change, clear }
}

/** A second click reverses the order. */
export const useSorting = () => {
  const { filters, change } = useFilters()
  const by = filters.sortBy ?? 'createdAt'
  const order = filters.sortOrder === 'asc' ? ('asc' as const) : ('desc' as const)
  const onSort = (next: string) => {
    const turned = by === next && order === 'desc' ? 'asc' : ''
    change({ sortBy: next === 'createdAt' ? '' : next, sortOrder: turned })
  }
  return { by, order, onSort }
}

/** `failed,queued` with `queued` toggled is `failed`. */
export const toggledIn = (list: string | undefined, value: string): string => {
  const values = (list ?? '').split(',').filter((one) => one !== '')
  return (values.includes(value) ? values.filter((one) => one !== value) : [...values, value]).join(',')
}
