#!/usr/bin/env node
/** Tells the time: here, or in the place that the question names. */

/** Places that people name and no zone is called after. */
const PLACES = {
  beijing: 'Asia/Shanghai',
  delhi: 'Asia/Kolkata',
  kolkata: 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  kyiv: 'Europe/Kyiv',
  'san francisco': 'America/Los_Angeles',
  washington: 'America/New_York',
  北京: 'Asia/Shanghai',
  上海: 'Asia/Shanghai',
  东京: 'Asia/Tokyo',
  伦敦: 'Europe/London',
  巴黎: 'Europe/Paris',
  纽约: 'America/New_York',
};

/** The zone that a question names, by identifier or by city; undefined for none. */
function zoneIn(question) {
  const identifier = question.match(/[A-Za-z]+(?:\/[A-Za-z0-9_+-]+)+/g)?.find(isZone);
  if (identifier) return identifier;
  const words = ` ${question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `;
  const holds = (name) => words.includes(/^[a-z ]+$/.test(name) ? ` ${name} ` : name);
  const city = (zone) =>
    zone
      .split('/')
      .at(-1)
      .toLowerCase()
      .replace(/[^a-z]+/g, ' ')
      .trim();
  const place = Object.keys(PLACES).find(holds);
  return place ? PLACES[place] : ['UTC', ...Intl.supportedValuesOf('timeZone')].find((zone) => holds(city(zone)));
}

function isZone(name) {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function parts(date, timeZone) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    weekday: 'long',
    timeZoneName: 'longOffset',
  });
  return Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
}

/** ISO 8601 week: the week of the year's first Thursday is week 1. */
function isoWeek(year, month, day) {
  const thursday = new Date(Date.UTC(year, month - 1, day));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  return Math.ceil(((thursday - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / 86_400_000 + 1) / 7);
}

const question = process.argv.slice(2).join(' ') || process.env.PIPELINE_QUERY || '';
const zone = zoneIn(question) ?? Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC';
const date = new Date();
const { year, month, day, hour, minute, second, weekday, timeZoneName } = parts(date, zone);
const offset = timeZoneName === 'GMT' ? '+00:00' : timeZoneName.replace('GMT', '');
const week = isoWeek(Number(year), Number(month), Number(day));

const now = {
  text: `${hour}:${minute}:${second} on ${weekday}, ${year}-${month}-${day} (${zone}, UTC${offset}, week ${week})`,
  iso: `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`,
  utc: date.toISOString(),
  zone,
  offset,
  weekday,
  week,
  unix_seconds: Math.floor(date.getTime() / 1000),
};
process.stdout.write(process.env.PIPELINE_OUTPUT ? JSON.stringify(now) : `${now.text}\n`);
