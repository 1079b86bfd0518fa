import { expect, test } from 'vitest';
import { WorkerNews } from '../../src/dispatch/worker-news.ts';
import { until } from '../support/until.ts';

/** News of a process whose pace the test sets, and what the worker beside it was told. */
function openNews() {
  const told: ({ perSecond: number } | { pending: boolean })[] = [];
  const process = { perSecond: 0 };
  const news = new WorkerNews(
    { pace: (perSecond) => void told.push({ perSecond }), moved: (moved) => void told.push(moved) },
    () => process.perSecond,
  );
  return { news, told, process };
}

test('the first event is told at once, and those that follow together', async () => {
  const { news, told } = openNews();
  news.moved(false);
  expect(told).toEqual([{ pending: false }]);
  news.moved(false);
  news.moved(true);
  news.moved(false);
  expect(told).toHaveLength(1);
  await until('the others are told', () => told.length > 1);
  expect(told).toEqual([{ pending: false }, { pending: true }]);
  news.stop();
});

test('the pace is told when it has changed', async () => {
  const { news, told, process } = openNews();
  news.start();
  process.perSecond = 5;
  await until('it is told', () => told.length > 0);
  process.perSecond = 0;
  await until('it is told again', () => told.length > 1);
  expect(told).toEqual([{ perSecond: 5 }, { perSecond: 0 }]);
  news.stop();
});

test('nothing is told after the stop', async () => {
  const { news, told } = openNews();
  news.start();
  news.moved(true);
  news.moved(true);
  news.stop();
  // Longer than the interval between two messages.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(told).toEqual([{ pending: true }]);
});
