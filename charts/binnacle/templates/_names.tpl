{{- define "binnacle.name" -}}
{{ printf "%s-apiserver" .Release.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "binnacle.selectorLabels" -}}
app.kubernetes.io/name: binnacle
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: apiserver
{{- end }}

{{- define "binnacle.labels" -}}
{{ include "binnacle.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}
