// client-go against a server: main URL TOKEN json|protobuf http1|http2. Creates, reads, changes, lists, watches and deletes objects of all sizes; then
// an informer follows them over a restart of the server: "synced" is written when it may be restarted, and a line is read when it has been.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const (
	namespace = "default"
	resource  = "configmaps"
	patience  = time.Minute
)

var sizes = []int{1, 1000, 16 * 1024, 60_000, 900_000}

func check(err error, what string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", what, err)
		os.Exit(1)
	}
}

func expect(holds bool, format string, values ...interface{}) {
	if !holds {
		check(fmt.Errorf(format, values...), "not as expected")
	}
}

func newClient(url, token, content, protocol string) rest.Interface {
	scheme := runtime.NewScheme()
	check(corev1.AddToScheme(scheme), "scheme")
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	config := &rest.Config{Host: url, BearerToken: token, APIPath: "/api", QPS: -1, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	config.GroupVersion = &corev1.SchemeGroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	config.ContentType = runtime.ContentTypeJSON
	if content == "protobuf" {
		config.ContentType, config.AcceptContentTypes = runtime.ContentTypeProtobuf, runtime.ContentTypeProtobuf
	}
	if protocol == "http1" {
		config.NextProtos = []string{"http/1.1"}
	}
	client, err := rest.RESTClientFor(config)
	check(err, "client")
	return client
}

func configMap(name string, bytes int) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"v": strings.Repeat("x", bytes)}}
}

func changeObjects(ctx context.Context, client rest.Interface, prefix string) {
	at := func(request *rest.Request) *rest.Request { return request.Namespace(namespace).Resource(resource) }
	watched, err := at(client.Get()).Param("watch", "true").Watch(ctx)
	check(err, "watch")
	seen := make(chan map[string]int, 1)
	go func() { seen <- countEvents(watched, prefix) }()
	for _, bytes := range sizes {
		name := fmt.Sprintf("%s-%d", prefix, bytes)
		var object corev1.ConfigMap
		check(at(client.Post()).Body(configMap(name, bytes)).Do(ctx).Into(&object), "create "+name)
		for _, next := range sizes {
			object.Data["v"] = strings.Repeat("y", next)
			check(at(client.Put()).Name(name).Body(&object).Do(ctx).Into(&object), "update "+name)
			check(at(client.Patch(types.MergePatchType)).Name(name).Body([]byte(`{"metadata":{"labels":{"patched":"yes"}}}`)).Do(ctx).Into(&object), "patch "+name)
			check(at(client.Get()).Name(name).Do(ctx).Into(&object), "get "+name)
			expect(object.Data["v"] == strings.Repeat("y", next) && object.Labels["patched"] == "yes", "%s: %d bytes", name, len(object.Data["v"]))
		}
		var list corev1.ConfigMapList
		check(at(client.Get()).Do(ctx).Into(&list), "list")
		stale := object.DeepCopy()
		stale.ResourceVersion = "1"
		expect(apierrors.IsConflict(at(client.Put()).Name(name).Body(stale).Do(ctx).Error()), "no conflict")
		check(at(client.Delete()).Name(name).Do(ctx).Error(), "delete "+name)
		expect(apierrors.IsNotFound(at(client.Get()).Name(name).Do(ctx).Error()), "%s is still there", name)
	}
	select {
	case counts := <-seen:
		expect(counts["ADDED"] == len(sizes) && counts["MODIFIED"] == len(sizes)*(len(sizes)+1), "events: %v", counts)
	case <-time.After(patience):
		check(fmt.Errorf("no more events"), "watch")
	}
}

// countEvents reads until each object has been deleted.
func countEvents(watched watch.Interface, prefix string) map[string]int {
	defer watched.Stop()
	counts := map[string]int{}
	for counts["DELETED"] < len(sizes) {
		event, open := <-watched.ResultChan()
		expect(open, "the watch ended: %v", counts)
		if object, is := event.Object.(*corev1.ConfigMap); is && strings.HasPrefix(object.Name, prefix) {
			counts[string(event.Type)]++
		}
	}
	return counts
}

func followOverRestart(ctx context.Context, client rest.Interface, prefix string) {
	at := func(request *rest.Request) *rest.Request { return request.Namespace(namespace).Resource(resource) }
	store, informer := cache.NewInformer(cache.NewListWatchFromClient(client, resource, namespace, fields.Everything()), &corev1.ConfigMap{}, 0, cache.ResourceEventHandlerFuncs{})
	go informer.Run(ctx.Done())
	check(wait.PollImmediate(10*time.Millisecond, patience, func() (bool, error) { return informer.HasSynced(), nil }), "sync")
	has := func(name string, wanted bool) {
		check(wait.PollImmediate(10*time.Millisecond, patience, func() (bool, error) {
			_, exists, err := store.GetByKey(namespace + "/" + name)
			return exists == wanted, err
		}), fmt.Sprintf("%s in the informer's store: %v", name, wanted))
	}
	check(at(client.Post()).Body(configMap(prefix+"-before", 60_000)).Do(ctx).Error(), "create before")
	has(prefix+"-before", true)
	fmt.Println("synced")
	_, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err, "restart")
	check(at(client.Post()).Body(configMap(prefix+"-after", 60_000)).Do(ctx).Error(), "create after")
	has(prefix+"-after", true)
	check(at(client.Delete()).Name(prefix+"-before").Do(ctx).Error(), "delete")
	has(prefix+"-before", false)
}

func main() {
	url, token, content, protocol := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := newClient(url, token, content, protocol)
	prefix := content + "-" + protocol
	changeObjects(ctx, client, prefix)
	followOverRestart(ctx, client, prefix)
	fmt.Println("done")
}
